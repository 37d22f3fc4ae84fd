-- A one-time code belongs to the browser that asked for it.
create table codigos (
  -- Keyed hash of purpose, address and the browser's nonce.
  navegador text primary key,
  -- Keyed hash of the address.
  direccion text not null,
  -- The message that carries it. Several browsers may wait for the same one; it serves one of them, once.
  envio uuid not null,
  enviado_at timestamptz not null,
  -- Keyed hash of purpose, address, nonce and code.
  valor text not null,
  intentos smallint not null default 0,
  -- Keyed hash of the network that asked.
  red text not null,
  vence_at timestamptz not null
);
create index codigos_direccion on codigos (direccion, enviado_at);

-- How many codes were mailed and used, and how many guesses were wrong: what says that somebody sends codes to strangers.
create table codigos_por_minuto (
  minuto timestamptz primary key,
  enviados integer not null default 0,
  usados integer not null default 0,
  fallos integer not null default 0
);

-- Work that was done and has served, until it would have run out. Losing it after a crash lets a piece serve twice.
create unlogged table trabajos (
  huella text primary key,
  hasta timestamptz not null
);

-- A whole town is counted within minutes. Without this index a count that goes on rewrites no index; sweeping reads the
-- table once an hour.
drop index intentos_ultimo;

-- Codes of before belong to no browser. The rest of the table is Google's: the states of ways there and back.
delete from verifications where identifier like 'sign-in-otp-%';
