// npm run test:varios: three processes of the site from one package behind haproxy with deploy/haproxy.cfg, PostgreSQL behind
// pgbouncer in transaction mode, RadosGW as S3; haproxy, pgbouncer and RadosGW from Debian's packages, unpacked under .cache.
// Checks that cannot run here are reported.
import { loadCommand } from '../commands/load-command.ts'

await loadCommand('scripts/rigs/cluster/run.ts')
