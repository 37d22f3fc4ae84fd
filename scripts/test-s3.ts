// npm run test:s3: the storage contract against a real S3 server, RadosGW of Debian's packages with its data in memory.
// The packages are unpacked under .cache, so neither root nor an installation is needed.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { fail, root } from './prepare.mjs'

const { values: options } = parseArgs({ options: { puerto: { type: 'string', default: '18080' } } })
const PORT = Number(options.puerto)
const PACKAGES = ['radosgw', 'ceph-mon', 'ceph-osd']
const TRIPLET = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' }[process.arch as string]
const KEYS = { accessKeyId: 'prueba', secretAccessKey: 'prueba-secreta' }
const BUCKET = 'certamen'
const PATIENCE_MS = 90_000

const unpacked = join(root, '.cache/radosgw')
if (!TRIPLET || spawnSync('apt-get', ['--version']).status !== 0)
  fail(
    'Esta prueba usa los paquetes de Debian: ejecútala en Debian 12, o prueba contra otro servidor S3 con STORAGE_URL.',
  )
if (!existsSync(join(unpacked, 'usr/bin/radosgw'))) await unpack()

const libraries = ['usr/lib', 'lib'].map((folder) => join(unpacked, folder, TRIPLET!))
const env = {
  ...process.env,
  LD_LIBRARY_PATH: [...libraries, join(libraries[0]!, 'ceph')].join(':'),
  PYTHONPATH: join(unpacked, 'usr/lib/python3/dist-packages'),
}
const work = await mkdtemp(join(tmpdir(), 'certamen-s3-'))
const running: ChildProcess[] = []
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const child of running) child.kill('SIGKILL')
    process.exit(1)
  })
let failed = true
try {
  await startServer()
  const vitest = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 's3'], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
      TEST_S3_URL: `s3://${BUCKET}/sitio?endpoint=http://127.0.0.1:${PORT}`,
    },
  })
  failed = vitest.status !== 0
} finally {
  for (const child of running.reverse()) {
    child.kill('SIGKILL')
    await new Promise((resolve) =>
      child.exitCode === null && child.signalCode === null ? child.once('exit', resolve) : resolve(0),
    )
  }
  await rm(work, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)

/** The packages and what they need beyond this machine's, as apt works it out. */
async function unpack() {
  console.log('Descargando RadosGW de los paquetes de Debian…')
  const plan = spawnSync('apt-get', ['install', '--simulate', '--no-install-recommends', '-y', ...PACKAGES], {
    encoding: 'utf8',
  })
  const names = [...plan.stdout.matchAll(/^Inst (\S+)/gm)].map((found) => found[1]!)
  const wanted = [...new Set([...names, ...PACKAGES])]
  const draft = `${unpacked}.nuevo`
  await rm(draft, { recursive: true, force: true })
  await mkdir(join(draft, 'debs'), { recursive: true })
  const fetched = spawnSync('apt-get', ['download', ...wanted], { cwd: join(draft, 'debs'), encoding: 'utf8' })
  if (plan.status !== 0 || fetched.status !== 0)
    fail(`apt-get no pudo descargar RadosGW. Ejecuta apt-get update y repite la orden. ${plan.stderr}${fetched.stderr}`)
  for (const deb of await readdir(join(draft, 'debs')))
    if (spawnSync('dpkg-deb', ['-x', join(draft, 'debs', deb), draft]).status !== 0) fail(`No se pudo abrir ${deb}`)
  await rm(join(draft, 'debs'), { recursive: true })
  await rm(unpacked, { recursive: true, force: true })
  await rename(draft, unpacked)
}

function run(program: string, ...args: string[]) {
  const done = spawnSync(join(unpacked, 'usr/bin', program), [...args, '-c', join(work, 'ceph.conf')], {
    encoding: 'utf8',
    env,
    timeout: PATIENCE_MS,
  })
  if (done.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${done.stderr}${done.error ?? ''}`)
  return done.stdout
}

function launch(program: string, ...args: string[]) {
  const child = spawn(join(unpacked, 'usr/bin', program), ['-f', ...args, '-c', join(work, 'ceph.conf')], {
    env,
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  running.push(child)
}

/** One monitor, one disk in memory, one gateway: the smallest cluster that serves S3. */
async function startServer() {
  console.log('Arrancando RadosGW…')
  const fsid = randomUUID()
  await writeFile(
    join(work, 'ceph.conf'),
    `[global]
fsid = ${fsid}
mon host = [v2:127.0.0.1:${PORT + 1}/0,v1:127.0.0.1:${PORT + 2}/0]
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
run dir = ${work}
admin socket =
log file = ${work}/$name.log
crash dir = ${work}
mon data = ${work}/mon
osd data = ${work}/osd
mgr data = ${work}/mgr
rgw data = ${work}/rgw
public addr = 127.0.0.1
osd objectstore = memstore
memstore device bytes = 2147483648
osd class dir = ${libraries[0]}/rados-classes
erasure code dir = ${libraries[0]}/ceph/erasure-code
plugin dir = ${libraries[0]}/ceph
osd crush chooseleaf type = 0
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
mon allow pool size one = true
mon max pg per osd = 1000
mon data avail crit = 1
mon data avail warn = 1
rgw frontends = beast endpoint=127.0.0.1:${PORT}
rgw dns name = 127.0.0.1
rgw gc max objs = 1
rgw lc max objs = 1
rgw usage max shards = 1
`,
  )
  for (const folder of ['mon', 'osd', 'mgr', 'rgw']) await mkdir(join(work, folder))
  run(
    'monmaptool',
    '--create',
    '--fsid',
    fsid,
    '--addv',
    'a',
    `[v2:127.0.0.1:${PORT + 1}/0,v1:127.0.0.1:${PORT + 2}/0]`,
    join(work, 'monmap'),
  )
  run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', join(work, 'monmap'))
  launch('ceph-mon', '-i', 'a')
  const disk = randomUUID()
  run('ceph', '--connect-timeout', '30', 'osd', 'new', disk)
  run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', disk)
  launch('ceph-osd', '-i', '0')
  const user = ['user', 'create', '--uid=prueba', '--display-name=prueba']
  run('radosgw-admin', ...user, `--access-key=${KEYS.accessKeyId}`, `--secret-key=${KEYS.secretAccessKey}`)
  launch('radosgw', '-n', 'client.rgw')
  const s3 = new S3Client({
    endpoint: `http://127.0.0.1:${PORT}`,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: KEYS,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  })
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(250)) {
    try {
      await s3.send(new CreateBucketCommand({ Bucket: BUCKET }))
      return
    } catch (error) {
      if (Date.now() > end) throw error
    }
  }
}
