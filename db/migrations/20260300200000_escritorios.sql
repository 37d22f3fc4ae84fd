-- When an organiser was last at the desk, and the time before, since which what came is new to her.
create table escritorios (
  user_id text primary key references profiles (id) on delete cascade,
  desde timestamptz not null,
  at timestamptz not null
);
