-- Accounts: the people who sign in. Their role is set by the organisers only.
create table profiles (
  id text primary key,
  name text not null,
  email text not null unique check (email = lower(email)),
  email_verified boolean not null default false,
  image text,
  role text check (role in ('admin', 'prensa')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- How a person signs in: for provider «credential», the password's hash.
create table accounts (
  id text primary key,
  user_id text not null references profiles (id) on delete cascade,
  account_id text not null,
  provider_id text not null,
  password text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (provider_id, account_id)
);
