import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { unpackPackages } from '../../../scripts/debian.mjs'
import { type Program, run, startProgram } from './program.ts'

const PACKAGES = ['radosgw', 'ceph-mon', 'ceph-osd']
const KEYS = { accessKeyId: 'prueba', secretAccessKey: 'prueba-secreta' }
const RADOSGW_BUCKET = 'certamen'
const COMMAND_TIMEOUT_MS = 90_000

export interface Radosgw {
  /** STORAGE_URL of a site that stores its objects there. */
  url: string
  /** Environment variables with the credentials. */
  env: { AWS_ACCESS_KEY_ID: string; AWS_SECRET_ACCESS_KEY: string }
  stop(): Promise<void>
}

/**
 * Starts a real S3 server, RadosGW of Debian's packages, as the smallest cluster that serves S3: one monitor, one disk in memory,
 * one gateway. The packages are unpacked under .cache, so neither root nor an installation is needed.
 * @param port of the gateway; the monitor takes the next two ports
 */
export async function startRadosgw(port: number): Promise<Radosgw> {
  const {
    folder: unpackedFolder,
    libraries,
    env: packageEnv,
  } = await unpackPackages('radosgw', PACKAGES, 'usr/bin/radosgw')
  const env = {
    ...packageEnv,
    LD_LIBRARY_PATH: [...libraries, join(libraries[0]!, 'ceph')].join(':'),
    PYTHONPATH: join(unpackedFolder, 'usr/lib/python3/dist-packages'),
  }
  console.log('Arrancando RadosGW…')
  const work = await mkdtemp(join(tmpdir(), 'certamen-s3-'))
  const options = { env, timeout: COMMAND_TIMEOUT_MS }
  const withConfig = (...args: string[]) => [...args, '-c', join(work, 'ceph.conf')]
  const pathOf = (name: string) => join(unpackedFolder, 'usr/bin', name)
  const runCommand = (name: string, ...args: string[]) => run(pathOf(name), withConfig(...args), options)
  const programs: Program[] = []
  const launch = async (name: string, args: string[], isReady = async () => true) => {
    const settings = { env, stdio: 'ignore', endSignal: 'SIGKILL', isReady } as const
    programs.push(await startProgram(pathOf(name), withConfig('-f', ...args), settings))
  }
  async function stop() {
    for (const program of programs.toReversed()) await program.stop()
    await rm(work, { recursive: true, force: true })
  }

  try {
    await start()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url: `s3://${RADOSGW_BUCKET}/sitio?endpoint=http://127.0.0.1:${port}`,
    env: { AWS_ACCESS_KEY_ID: KEYS.accessKeyId, AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey },
    stop,
  }

  async function start() {
    const fsid = randomUUID()
    await writeFile(
      join(work, 'ceph.conf'),
      `[global]
fsid = ${fsid}
mon host = [v2:127.0.0.1:${port + 1}/0,v1:127.0.0.1:${port + 2}/0]
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
rgw frontends = beast endpoint=127.0.0.1:${port}
rgw dns name = 127.0.0.1
rgw gc max objs = 1
rgw lc max objs = 1
rgw usage max shards = 1
`,
    )
    for (const folder of ['mon', 'osd', 'mgr', 'rgw']) await mkdir(join(work, folder))
    const monitor = `[v2:127.0.0.1:${port + 1}/0,v1:127.0.0.1:${port + 2}/0]`
    runCommand('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', monitor, join(work, 'monmap'))
    runCommand('ceph-mon', '--mkfs', '-i', 'a', '--monmap', join(work, 'monmap'))
    await launch('ceph-mon', ['-i', 'a'])
    const disk = randomUUID()
    runCommand('ceph', '--connect-timeout', '30', 'osd', 'new', disk)
    runCommand('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', disk)
    await launch('ceph-osd', ['-i', '0'])
    const userArgs = ['user', 'create', '--uid=prueba', '--display-name=prueba']
    runCommand('radosgw-admin', ...userArgs, `--access-key=${KEYS.accessKeyId}`, `--secret-key=${KEYS.secretAccessKey}`)
    const s3 = new S3Client({
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: KEYS,
      requestChecksumCalculation: 'WHEN_REQUIRED',
    })
    await launch('radosgw', ['-n', 'client.rgw'], () =>
      s3.send(new CreateBucketCommand({ Bucket: RADOSGW_BUCKET })).then(
        () => true,
        () => false,
      ),
    )
  }
}
