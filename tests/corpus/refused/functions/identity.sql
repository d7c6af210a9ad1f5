-- Functions that tell who asks
select session_user()
