import { spawnSync } from 'node:child_process'
import { appendFile, chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgresServer } from '#tests/support/external-servers/postgres-server.ts'
import { run } from '#tests/support/external-servers/program.ts'
import { startRadosgw } from '#tests/support/external-servers/radosgw.ts'
import { killEverything } from '#tests/support/site/site-processes.ts'
import type { Place } from './deployment-place.ts'
import { expect, type SmokeTest } from './smoke-test.ts'

/** Replaces systemctl and journalctl, since systemd does not run in the rig; account and settings are the same. */
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
    while dice; do sleep 0.2; done
    rm -f /run/certamen.pid ;;
  restart) "$0" stop; "$0" start ;;
  *) dice ;;
esac
`
const JOURNALCTL = '#!/bin/sh\ntail -n 50 /var/log/certamen.log\n'

/**
 * Installs the package as deploy/instalar.sh does, behind nginx, and follows the guide there. @param base a fresh root of Debian
 */
export async function tryInstallation(
  smokeTest: SmokeTest,
  place: Place,
  { base, release, archive }: { base: string; release: string; archive: string },
): Promise<void> {
  console.log(`Instalación en un ${release} nuevo:`)
  const { holds } = smokeTest
  const fresh = join(place.work, 'debian')
  run('cp', ['-a', base, fresh])
  await mkdir(join(fresh, 'dev/shm'), { recursive: true })
  await chmod(join(fresh, 'dev/shm'), 0o1777)
  for (const [name, numbers] of Object.entries({ null: '1 3', zero: '1 5', urandom: '1 9', random: '1 8' }))
    spawnSync('mknod', ['-m', '666', join(fresh, 'dev', name), 'c', ...numbers.split(' ')])
  await mkdir(join(fresh, 'root/paquete'))
  run('tar', ['-xzf', archive, '-C', join(fresh, 'root/paquete'), '--strip-components=1'])
  const inside = (line: string) =>
    run('chroot', [fresh, '/bin/sh', '-c', line], { env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' } })
  await holds('instala con --sin-systemd: cuenta, carpetas, ajustes, orden «certamen»', async () => {
    inside('/root/paquete/deploy/instalar.sh --sin-systemd')
    inside('test -x /opt/certamen/actual/certamen && id certamen && certamen version')
    expect(inside('stat -c "%U %a" /var/lib/certamen').trim() === 'certamen 700', 'permisos de los datos')
    expect(inside('stat -c "%U %a" /etc/certamen/certamen.env').trim() === 'root 600', 'permisos de los ajustes')
  })
  await holds('otra vez: no cambia los ajustes ni lo instalado', async () => {
    inside('echo "LOG_LEVEL=error" >>/etc/certamen/certamen.env')
    inside(`sed -i 's/^PORT=.*/PORT=${place.site}/' /etc/certamen/certamen.env`)
    const before = inside('cat /etc/certamen/certamen.env; ls /opt/certamen; readlink /opt/certamen/actual')
    inside('/root/paquete/deploy/instalar.sh --sin-systemd')
    expect(
      inside('cat /etc/certamen/certamen.env; ls /opt/certamen; readlink /opt/certamen/actual') === before,
      'cambió',
    )
  })
  inside(`sed -i 's#^PUBLIC_URL=.*#PUBLIC_URL=${place.origin}#' /etc/certamen/certamen.env`)
  const front = await place.openProxy('nginx')
  spawnSync('mount', ['-t', 'proc', 'proc', join(fresh, 'proc')])
  try {
    await followGuide(smokeTest, place, fresh, inside)
  } finally {
    await powerCut(fresh)
    spawnSync('umount', [join(fresh, 'proc')])
    await front.stop()
  }
}

/** Kills all processes of the installed site and of its database. */
async function powerCut(fresh: string): Promise<void> {
  const pid = Number(await readFile(join(fresh, 'run/certamen.pid'), 'utf8').catch(() => 0))
  await killEverything({ process: { pid }, dataDir: join(fresh, 'var/lib/certamen') })
}

/**
 * Follows docs/operacion.md as a volunteer would, and runs every command of its sections as written.
 * @param fresh root folder of the Debian in which the site is installed
 * @param inside runs a shell line as root in that Debian, and returns the output
 */
async function followGuide(
  { holds }: SmokeTest,
  { ask, register, s3 }: Place,
  fresh: string,
  inside: (line: string) => string,
): Promise<void> {
  console.log('La guía, orden por orden, en ese Debian:')
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
  const server = await startPostgresServer(['base'])
  const radosgw = await startRadosgw(s3)
  try {
    await holds(
      'arranca con su cuenta y se ve desde fuera, por https, con el certificado de una autoridad propia',
      async () => {
        inside('systemctl start certamen')
        const owner = inside('stat -c %U /var/lib/certamen/postgres').trim()
        expect(owner === 'certamen', `la base de datos es de ${owner}`)
        const { status, body } = await ask('/')
        expect(status === 200 && body.includes('Azahares'), `${status}`)
        for (let turn = 0; turn < 3; turn++) expect((await register()).status < 300, 'una inscripción no entró')
        expect((await entries()) === 3, 'no están las tres')
      },
    )
    await holds('«Copiar», y la copia vuelve a leerse', async () => {
      for (const block of blocksOf('Copiar')) inside(block)
    })
    await holds('el disco pierde la base: kill -9 y a la basura; «Restaurar» la devuelve', async () => {
      await powerCut(fresh)
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
          // Replaces the call of the editor by a command that writes what a volunteer would type.
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
    await radosgw.stop()
    await server.stop()
  }
}
