-- Organisers who do only a part: who reviews, who watches the count, who writes the site, who keeps the final's table; and
-- judges of one evening.
alter table profiles drop constraint profiles_role_check;
alter table profiles add constraint profiles_role_check
  check (role in ('admin', 'revision', 'conteo', 'sitio', 'notaria', 'jurado', 'prensa')) not valid;

-- When an organiser's session was last used, by the site's clock: it ends after a while without use.
alter table sessions add column usada_at timestamptz;
