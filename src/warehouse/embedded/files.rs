//! The files of the data folder as the engine sees them: to be read, and only those that count.

use std::collections::{BTreeMap, HashSet};
use std::fmt::{self, Display, Formatter};
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use datafusion::object_store::local::LocalFileSystem;
use datafusion::object_store::path::Path;
use datafusion::object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use futures::stream::{self, BoxStream};
use futures::{StreamExt as _, TryStreamExt as _};

use super::store::replaced;

/// The local files, without those that a file beside them replaces. Nothing can be written.
#[derive(Debug, Default)]
pub(super) struct Files {
    local: Arc<LocalFileSystem>,
}

/// Returns the files that count. One listing decides, as files come and go.
async fn visible(local: Arc<LocalFileSystem>, prefix: Option<Path>) -> Result<Vec<ObjectMeta>> {
    let files: Vec<ObjectMeta> = local.list(prefix.as_ref()).try_collect().await?;
    let mut folders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in &files {
        let (folder, name) = split(&file.location);
        folders.entry(folder).or_default().push(name);
    }
    let mut hidden = HashSet::new();
    for (folder, names) in &folders {
        let path = local.path_to_filesystem(&Path::parse(folder)?)?;
        let names = replaced(&path, names).map_err(|error| Error::Generic {
            store: "file",
            source: Box::new(error),
        })?;
        hidden.extend(names.into_iter().map(|name| (*folder, name)));
    }
    let is_visible = |file: &ObjectMeta| {
        let (folder, name) = split(&file.location);
        !hidden.contains(&(folder, name.to_owned()))
    };
    Ok(files
        .iter()
        .filter(|file| is_visible(file))
        .cloned()
        .collect())
}

/// Returns the folder and the name of a file.
fn split(location: &Path) -> (&str, &str) {
    location
        .as_ref()
        .rsplit_once('/')
        .unwrap_or(("", location.as_ref()))
}

impl Display for Files {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("the data folder")
    }
}

fn read_only<T>() -> Result<T> {
    Err(Error::NotSupported {
        source: "the engine reads".into(),
    })
}

#[async_trait]
impl ObjectStore for Files {
    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.local.get_opts(location, options).await
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        self.local.get_ranges(location, ranges).await
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let files = visible(Arc::clone(&self.local), prefix.cloned());
        stream::once(files)
            .map_ok(|files| stream::iter(files.into_iter().map(Ok)))
            .try_flatten()
            .boxed()
    }

    async fn list_with_delimiter(&self, _: Option<&Path>) -> Result<ListResult> {
        Err(Error::NotSupported {
            source: "files are listed whole".into(),
        })
    }

    async fn put_opts(&self, _: &Path, _: PutPayload, _: PutOptions) -> Result<PutResult> {
        read_only()
    }

    async fn put_multipart_opts(
        &self,
        _: &Path,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        read_only()
    }

    fn delete_stream(
        &self,
        _: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        stream::once(async { read_only() }).boxed()
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        read_only()
    }
}
