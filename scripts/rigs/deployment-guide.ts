import { spawnSync } from 'node:child_process'
import { appendFile, chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgresServer } from '#tests/faults/postgres-server.ts'
import { startRadosgw } from './radosgw.ts'
import { expect, type SmokeTest } from './smoke-test.ts'

interface Position {
  smokeTest: SmokeTest
  /** Root folder of a Debian in which deploy/instalar.sh has run. */
  fresh: string
  /** Runs a shell line in that Debian, as root. @returns its output @throws with the output when the line fails */
  inside(line: string): string
  /** Requests a path over TLS, through the proxy in front of the site. */
  ask(path: string): Promise<{ status: number; body: Buffer }>
  /** Sends an entry with its documents over TLS. */
  register(): Promise<{ status: number }>
  /** Port of the S3 server that the guide starts, which also takes the next two ports. */
  s3: number
}

/** systemd is not the first process here: these scripts replace systemctl and journalctl, with the same account and settings. */
const SYSTEMCTL = `#!/bin/sh
dice() { kill -0 "$(cat /run/certamen.pid 2>/dev/null)" 2>/dev/null; }
case "$1" in
  start) dice && exit 0
    setsid /usr/local/bin/certamen >>/var/log/certamen.log 2>&1 </dev/null &
    echo $! >/run/certamen.pid
    vez=0
    while [ $vez -lt 90 ]; do certamen sano && exit 0; vez=$((vez + 1)); sleep 1; done
    tail -n 20 /var/log/certamen.log >&2; exit 1 ;;
  stop) dice && kill -TERM "$(cat /run/certamen.pid)"
    while dice; do sleep 0.2; done ;;
  restart) "$0" stop; "$0" start ;;
  *) dice ;;
esac
`
const JOURNALCTL = '#!/bin/sh\ntail -n 50 /var/log/certamen.log\n'

/** Follows docs/operacion.md as a volunteer would, and runs every command of its sections as written. */
export async function tryDeploymentGuide({ smokeTest, fresh, inside, ask, register, s3 }: Position): Promise<void> {
  console.log('La guía, orden por orden, en ese Debian:')
  const { holds } = smokeTest
  const guide = inside('cat /opt/certamen/actual/docs/operacion.md')
  const blocksOf = (title: string) => {
    const section = guide.split(/^## /m).find((part) => part.startsWith(`${title}\n`))
    expect(section !== undefined, `la guía ya no tiene «${title}»`)
    return [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block!.trim())
  }
  const entries = async (url?: string) => {
    const host = join(fresh, 'var/lib/certamen/postgres.sockets')
    const client = new pg.Client(
      url ? { connectionString: url } : { host, port: 5432, user: 'certamen', database: 'certamen' },
    )
    await client.connect()
    const { rows } = await client
      .query<{ n: number }>('select count(*)::int as n from inscripciones')
      .finally(() => client.end())
    return rows[0]!.n
  }
  for (const [name, text] of Object.entries({ systemctl: SYSTEMCTL, journalctl: JOURNALCTL })) {
    await writeFile(join(fresh, 'usr/local/bin', name), text)
    await chmod(join(fresh, 'usr/local/bin', name), 0o755)
  }
  spawnSync('mount', ['-t', 'proc', 'proc', join(fresh, 'proc')])
  const server = await startPostgresServer(['base'])
  const radosgw = await startRadosgw(s3)
  try {
    await holds('arranca y se ve desde fuera, por https, con el certificado de una autoridad propia', async () => {
      inside('systemctl start certamen')
      const { status, body } = await ask('/')
      expect(status === 200 && body.includes('Azahares'), `${status}`)
      for (let turn = 0; turn < 3; turn++) expect((await register()).status < 300, 'una inscripción no entró')
      expect((await entries()) === 3, 'no están las tres')
    })
    await holds('«Copiar», y la copia vuelve a leerse', async () => {
      for (const block of blocksOf('Copiar')) inside(block)
    })
    await holds('el disco pierde la base: kill -9 y a la basura; «Restaurar» la devuelve', async () => {
      inside('kill -9 $(cat /run/certamen.pid); sleep 2; pkill -9 -u certamen || true; sleep 1')
      await rm(join(fresh, 'var/lib/certamen/postgres'), { recursive: true })
      const [block] = blocksOf('Restaurar')
      inside(block!)
      expect((await ask('/')).status === 200, 'no abre')
      expect((await entries()) === 3, `${await entries()} inscripciones`)
      expect((await register()).status < 300, 'ya no recibe')
    })
    await holds('«A las tres de la mañana»: sus órdenes contestan', async () => {
      const [block] = blocksOf('A las tres de la mañana')
      for (const line of block!.split('\n')) inside(`${line} || [ "$?" = 1 ]`)
    })
    await holds('«Mudar» a otra base y a S3, y desde ahí se ve por https', async () => {
      const env = join(fresh, 'etc/certamen/certamen.env')
      for (const [name, value] of Object.entries(radosgw.env)) await appendFile(env, `${name}='${value}'\n`)
      const [block] = blocksOf('Mudar')
      inside(
        block!
          // Replaces the line of the editor by the text that a volunteer would write in it.
          .replace(/^nano (\S+).*$/m, (_, file) => `printf %s '${server.url('base')}' >${file}`)
          .replace(/'s3:\/\/[^']+'/, `'${radosgw.url}'`),
      )
      await appendFile(env, `DATABASE_URL='${server.url('base')}'\nSTORAGE_URL='${radosgw.url}'\n`)
      inside('systemctl start certamen')
      expect((await ask('/')).status === 200, 'no abre')
      expect((await entries(server.url('base'))) === 4, 'no llegaron las cuatro')
      expect((await register()).status < 300, 'ya no recibe')
      expect((await entries(server.url('base'))) === 5, 'la nueva no está en la base nueva')
      inside('systemctl stop certamen')
    })
  } finally {
    spawnSync('chroot', [fresh, 'pkill', '-9', '-u', 'certamen'])
    spawnSync('umount', [join(fresh, 'proc')])
    await radosgw.stop()
    await server.stop()
  }
}
