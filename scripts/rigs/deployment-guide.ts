import { spawnSync } from 'node:child_process'
import { appendFile, chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgresServer } from '#tests/support/external-servers/postgres-server.ts'
import { run } from '#tests/support/external-servers/program.ts'
import { startRadosgw } from '#tests/support/external-servers/radosgw.ts'
import { killEverything } from '#tests/support/site/site-processes.ts'
import type { DeploymentFixture } from './deployment-fixture.ts'
import { expect, type SmokeTest } from './smoke-test.ts'

/** Replaces systemctl, since systemd does not run in the Debian root; account and settings are the same. */
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
 * Installs the package by deploy/instalar.sh in a copy of `base`, a fresh root of Debian, behind nginx, and follows the
 * guide in that copy.
 */
export async function tryInstallation(
  smokeTest: SmokeTest,
  fixture: DeploymentFixture,
  { base, release, archive }: { base: string; release: string; archive: string },
): Promise<void> {
  console.log(`Instalación en un ${release} nuevo:`)
  const { check } = smokeTest
  const debianFolder = join(fixture.work, 'debian')
  run('cp', ['-a', base, debianFolder])
  await mkdir(join(debianFolder, 'dev/shm'), { recursive: true })
  await chmod(join(debianFolder, 'dev/shm'), 0o1777)
  for (const [name, numbers] of Object.entries({ null: '1 3', zero: '1 5', urandom: '1 9', random: '1 8' }))
    spawnSync('mknod', ['-m', '666', join(debianFolder, 'dev', name), 'c', ...numbers.split(' ')])
  await mkdir(join(debianFolder, 'root/paquete'))
  run('tar', ['-xzf', archive, '-C', join(debianFolder, 'root/paquete'), '--strip-components=1'])
  const runInside = (line: string) =>
    run('chroot', [debianFolder, '/bin/sh', '-c', line], {
      env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' },
    })
  await check('instala con --sin-systemd: cuenta, carpetas, ajustes, orden «certamen»', async () => {
    runInside('/root/paquete/deploy/instalar.sh --sin-systemd')
    runInside('test -x /opt/certamen/actual/certamen && id certamen && certamen version')
    expect(runInside('stat -c "%U %a" /var/lib/certamen').trim() === 'certamen 700', 'permisos de los datos')
    expect(runInside('stat -c "%U %a" /etc/certamen/certamen.env').trim() === 'root 600', 'permisos de los ajustes')
  })
  await check('otra vez: no cambia los ajustes ni lo instalado', async () => {
    runInside('echo "LOG_LEVEL=error" >>/etc/certamen/certamen.env')
    runInside(`sed -i 's/^PORT=.*/PORT=${fixture.sitePort}/' /etc/certamen/certamen.env`)
    const stateBefore = runInside('cat /etc/certamen/certamen.env; ls /opt/certamen; readlink /opt/certamen/actual')
    runInside('/root/paquete/deploy/instalar.sh --sin-systemd')
    expect(
      runInside('cat /etc/certamen/certamen.env; ls /opt/certamen; readlink /opt/certamen/actual') === stateBefore,
      'cambió',
    )
  })
  runInside(`sed -i 's#^PUBLIC_URL=.*#PUBLIC_URL=${fixture.origin}#' /etc/certamen/certamen.env`)
  const proxy = await fixture.openProxy('nginx')
  spawnSync('mount', ['-t', 'proc', 'proc', join(debianFolder, 'proc')])
  try {
    await followGuide(smokeTest, fixture, debianFolder, runInside)
  } finally {
    await cutPower(debianFolder)
    spawnSync('umount', [join(debianFolder, 'proc')])
    await proxy.stop()
  }
}

/** Kills all processes of the installed site and of its database. */
async function cutPower(debianFolder: string): Promise<void> {
  const pid = Number(await readFile(join(debianFolder, 'run/certamen.pid'), 'utf8').catch(() => 0))
  await killEverything({ process: { pid }, dataDir: join(debianFolder, 'var/lib/certamen') })
}

/**
 * Follows docs/operacion.md as a volunteer would, and runs commands of four of its sections as written, but for the editor and the
 * bucket's address.
 * @param debianFolder root folder of the Debian in which the site is installed
 * @param runInside runs a shell line as root in that Debian, and returns the output
 */
async function followGuide(
  { check }: SmokeTest,
  { ask, register, s3Port }: DeploymentFixture,
  debianFolder: string,
  runInside: (line: string) => string,
): Promise<void> {
  console.log('La guía, orden por orden, en ese Debian:')
  const guide = runInside('cat /opt/certamen/actual/docs/operacion.md')
  const blocksOf = (title: string) => {
    const section = guide.split(/^## /m).find((part) => part.startsWith(`${title}\n`))
    expect(section !== undefined, `la guía ya no tiene «${title}»`)
    return [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block!.trim())
  }
  const countEntries = async (url?: string) => {
    const host = join(debianFolder, 'var/lib/certamen/postgres.sockets')
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
    await writeFile(join(debianFolder, 'usr/local/bin', name), text)
    await chmod(join(debianFolder, 'usr/local/bin', name), 0o755)
  }
  const server = await startPostgresServer(['base'])
  const radosgw = await startRadosgw(s3Port)
  try {
    await check(
      'arranca con su cuenta y se ve desde fuera, por https, con el certificado de una autoridad propia',
      async () => {
        runInside('systemctl start certamen')
        const owner = runInside('stat -c %U /var/lib/certamen/postgres').trim()
        expect(owner === 'certamen', `la base de datos es de ${owner}`)
        const { status, body } = await ask('/')
        expect(status === 200 && body.includes('Azahares'), `${status}`)
        for (let round = 0; round < 3; round++) expect((await register()).status < 300, 'una inscripción no entró')
        expect((await countEntries()) === 3, 'no están las tres')
      },
    )
    await check('«Copiar», y la copia vuelve a leerse', async () => {
      for (const block of blocksOf('Copiar')) runInside(block)
    })
    await check('el disco pierde la base: kill -9 y a la basura; «Restaurar» la devuelve', async () => {
      await cutPower(debianFolder)
      await rm(join(debianFolder, 'var/lib/certamen/postgres'), { recursive: true })
      const [block] = blocksOf('Restaurar')
      runInside(block!)
      expect((await ask('/')).status === 200, 'no abre')
      expect((await countEntries()) === 3, `${await countEntries()} inscripciones`)
      expect((await register()).status < 300, 'ya no recibe')
    })
    await check('«A las tres de la mañana»: sus órdenes contestan', async () => {
      const [block] = blocksOf('A las tres de la mañana')
      for (const line of block!.split('\n')) runInside(`${line} || [ "$?" = 1 ]`)
    })
    await check('«Mudar» a otra base y a S3, y desde ahí se ve por https', async () => {
      const envFile = join(debianFolder, 'etc/certamen/certamen.env')
      for (const [name, value] of Object.entries(radosgw.env)) await appendFile(envFile, `${name}='${value}'\n`)
      const [block] = blocksOf('Mudar')
      runInside(
        block!
          // Replaces the call of the editor by a command that writes what a volunteer would type.
          .replace(/^nano (\S+).*$/m, (_, file) => `printf %s '${server.url('base')}' >${file}`)
          .replace(/'s3:\/\/[^']+'/, `'${radosgw.url}'`),
      )
      await appendFile(envFile, `DATABASE_URL='${server.url('base')}'\nSTORAGE_URL='${radosgw.url}'\n`)
      runInside('systemctl start certamen')
      expect((await ask('/')).status === 200, 'no abre')
      expect((await countEntries(server.url('base'))) === 4, 'no llegaron las cuatro')
      expect((await register()).status < 300, 'ya no recibe')
      expect((await countEntries(server.url('base'))) === 5, 'la nueva no está en la base nueva')
      runInside('systemctl stop certamen')
    })
  } finally {
    await radosgw.stop()
    await server.stop()
  }
}
