-- Links with which a journalist sets the password of an accreditation: one in force for an account, used once.
create table enlaces (
  user_id text primary key references profiles (id) on delete cascade,
  -- SHA-256 of what stands in the link, in hex.
  clave text not null unique check (clave ~ '^[0-9a-f]{64}$'),
  -- By the site's clock.
  vence_at timestamptz not null,
  created_at timestamptz not null default now()
);
