-- Parameters of other dialects
select {project:String} from edge_logs
