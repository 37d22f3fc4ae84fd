import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { type Figure, median } from './figure.ts'

/** The site and nginx alternate, so that a change of the machine's load affects both. */
const ROUNDS = 5
const RUN_SECONDS = 4
const CONNECTION_COUNT = 64
const COMPRESSION_TIMEOUT_MS = 60_000

/** Returns the programs among `names` that this machine lacks. */
export const missingPrograms = (...names: string[]): string[] =>
  // Debian installs nginx in /usr/sbin, which is not in the PATH of ordinary accounts.
  names.filter((name) => spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${name}`]).status !== 0)

/**
 * Measures the requests a second that the site answers with a prerendered page and, alternately, that nginx answers with the same
 * compressed file.
 */
export async function pageThroughput(siteUrl: string): Promise<Figure> {
  const nginx = await startNginx(await waitForBestCompression(`${siteUrl}/`))
  try {
    const siteRates: number[] = []
    const nginxRates: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      siteRates.push(await requestsPerSecond(`${siteUrl}/`, CONNECTION_COUNT))
      nginxRates.push(await requestsPerSecond(nginx.url, CONNECTION_COUNT))
    }
    return {
      name: 'página preparada, peticiones por segundo (gzip)',
      value: median(siteRates),
      unit: '/s',
      baseline: { name: 'nginx, el mismo archivo', value: median(nginxRates) },
    }
  } finally {
    await nginx.stop()
  }
}

/**
 * Waits until the site sends a page compressed at the highest level, which it does in the background after the first request.
 * @returns the page compressed with gzip
 * @throws after COMPRESSION_TIMEOUT_MS
 */
export async function waitForBestCompression(url: string): Promise<Buffer> {
  const page = await fetch(url, { headers: { 'accept-encoding': 'identity' } })
  const compressedPage = gzipSync(await page.arrayBuffer(), { level: 9 })
  const readSentLength = async () => {
    const { headers } = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } })
    return Number(headers.get('content-length'))
  }
  const deadlineMs = Date.now() + COMPRESSION_TIMEOUT_MS
  while ((await readSentLength()) !== compressedPage.byteLength) {
    if (Date.now() > deadlineMs) throw new Error(`${url} is not compressed at the highest level`)
    await sleep(200)
  }
  return compressedPage
}

/** Returns requests a second as wrk counts them, one compressed page at a time over each connection. */
async function requestsPerSecond(url: string, connections: number, headers: string[] = []): Promise<number> {
  const headerArgs = ['Accept-Encoding: gzip', ...headers].flatMap((header) => ['-H', header])
  const args = ['-t1', `-c${connections}`, `-d${RUN_SECONDS}s`, ...headerArgs, url]
  const wrk = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const output = await text(wrk.stdout)
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(output)
  if (!rate || /Non-2xx/.test(output)) throw new Error(`wrk against ${url}: ${output}`)
  return Number(rate[1])
}

async function startNginx(page: Buffer): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-nginx-'))
  await mkdir(join(folder, 'html'))
  await writeFile(join(folder, 'html/index.html.gz'), page)
  // The port follows from the process id, so that two benches rarely take the same port.
  const port = 20_000 + (process.pid % 10_000)
  // Workers of a master that root started would run as another account and could not read the folder.
  const userLine = process.getuid?.() === 0 ? 'user root;' : ''
  await writeFile(
    join(folder, 'nginx.conf'),
    `worker_processes auto; daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
${userLine}
events { worker_connections 1024; }
http { access_log off; default_type text/html; open_file_cache max=100; keepalive_requests 1000000; sendfile on; tcp_nopush on;
  client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder}; uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
  server { listen 127.0.0.1:${port}; root ${folder}/html; gzip_static always; index index.html; location = / { try_files /index.html =404; } } }`,
  )
  const child: ChildProcess = spawn(
    'sh',
    ['-c', `PATH=$PATH:/usr/sbin exec nginx -c ${folder}/nginx.conf -e ${folder}/error.log`],
    {
      stdio: 'ignore',
    },
  )
  const url = `http://127.0.0.1:${port}/index.html`
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) break
    if (attempt > 50) throw new Error(`nginx does not answer at ${url} (${response?.status ?? 'no connection'})`)
    await sleep(100)
  }
  return {
    url,
    async stop() {
      child.kill('SIGQUIT')
      await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
