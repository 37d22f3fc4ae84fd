import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unpackPackages } from '../../../scripts/debian.mjs'
import { root } from '../../../scripts/prepare.mjs'
import { isListening, type Program, run, startProgram } from './program.ts'

/** Programs of the proxies for which deploy/ has a file, by the name of their Debian packages. */
const PROGRAMS = { nginx: 'usr/sbin/nginx', caddy: 'usr/bin/caddy', haproxy: 'usr/sbin/haproxy' }
export type ProxyName = keyof typeof PROGRAMS
export const PROXIES = Object.keys(PROGRAMS) as ProxyName[]

/** Domain in the files of deploy/. */
export const DEPLOYED_HOST = 'certamen.ejemplo.mx'

interface ProxyOptions {
  /** Folder with the certificate that `certify` made. */
  work: string
  tlsPort: number
  plainPort: number
  /** Ports of the site's processes; Caddy uses the first only. */
  sites: readonly number[]
}

/** Makes a certificate, signed by an authority of its own. @returns the file of the authority's certificate */
export async function certify(work: string, subjectAltName: string): Promise<string> {
  const pathOf = (name: string) => join(work, name)
  const [authority, authorityKey] = [pathOf('autoridad.pem'), pathOf('ca-key.pem')]
  const [key, request, leaf] = [pathOf('key.pem'), pathOf('csr.pem'), pathOf('leaf.pem')]
  const openssl = (line: string, ...args: string[]) => run('openssl', [...line.split(' '), ...args])
  const [subject, altNames] = ['/CN=Autoridad de prueba', `subjectAltName=${subjectAltName}`]
  openssl('req -x509 -newkey rsa:2048 -nodes -days 2 -subj', subject, '-keyout', authorityKey, '-out', authority)
  openssl('req -newkey rsa:2048 -nodes -subj /CN=prueba -addext', altNames, '-keyout', key, '-out', request)
  openssl(
    'x509 -req -days 2 -copy_extensions copy -CAcreateserial',
    ...['-in', request, '-CA', authority, '-CAkey', authorityKey, '-out', leaf],
  )
  const concat = async (...files: string[]) => Buffer.concat(await Promise.all(files.map((path) => readFile(path))))
  await writeFile(pathOf('cert.pem'), await concat(leaf, authority))
  await writeFile(pathOf('certamen.pem'), await concat(key, leaf, authority))
  return authority
}

/** Starts a proxy with its file of deploy/, in which ports, certificate and the folder of the error pages are replaced. */
export async function startProxy(name: ProxyName, options: ProxyOptions): Promise<Program> {
  const { folder, env } = await unpackPackages(name, [name], PROGRAMS[name])
  const [configuration, args] = await CONFIGURATIONS[name](options)
  const { work, tlsPort } = options
  await writeFile(join(work, configuration[0]), configuration[1])
  return startProgram(join(folder, PROGRAMS[name]), args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...env, HOME: work, XDG_DATA_HOME: work, XDG_CONFIG_HOME: work },
    isReady: () => isListening(tlsPort),
  })
}

type Configuration = (options: ProxyOptions) => Promise<[[name: string, text: string], args: string[]]>

const readDeployFile = async (file: string) =>
  (await readFile(join(root, 'deploy', file), 'utf8')).replaceAll('/opt/certamen/actual/deploy', join(root, 'deploy'))

const CONFIGURATIONS: Record<ProxyName, Configuration> = {
  async nginx({ work, tlsPort, plainPort, sites }) {
    const upstreamLine = (port: number) => `  server 127.0.0.1:${port} max_fails=3 fail_timeout=5s;`
    const conf = (await readDeployFile('nginx.conf'))
      .replace(/^ {2}server 127\.0\.0\.1:3000 .*$/m, (line) =>
        sites.length > 1 ? sites.map(upstreamLine).join('\n') : line.replace('3000', String(sites[0])),
      )
      .replaceAll(/listen \[::\].*\n/g, '')
      .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
      .replace('listen 443', `listen 127.0.0.1:${tlsPort}`)
      .replace(/ssl_certificate .*;/, `ssl_certificate ${work}/cert.pem;`)
      .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${work}/key.pem;`)
    const tempPathLines = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${work}/${name};`,
    )
    const text = `daemon off; pid ${work}/nginx.pid; error_log ${work}/nginx.log; worker_processes 2; user root;
events { worker_connections 1024; }
http { access_log off; ${tempPathLines.join(' ')}
${conf}}
`
    return [
      ['nginx.conf', text],
      ['-c', `${work}/nginx.conf`, '-e', `${work}/nginx.log`],
    ]
  },
  async caddy({ work, tlsPort, plainPort, sites: [sitePort] }) {
    const text = (await readDeployFile('Caddyfile'))
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${sitePort}`)
      .replace(
        `\n${DEPLOYED_HOST} {`,
        `\n{\n\tadmin off\n\thttp_port ${plainPort}\n\thttps_port ${tlsPort}\n\tauto_https disable_redirects\n\tstorage file_system ${work}/caddy\n}\n${DEPLOYED_HOST}:${tlsPort} {\n\tbind 127.0.0.1\n\ttls ${work}/cert.pem ${work}/key.pem`,
      )
    return [
      ['Caddyfile', text],
      ['run', '--config', `${work}/Caddyfile`, '--adapter', 'caddyfile'],
    ]
  },
  async haproxy({ work, tlsPort, plainPort, sites }) {
    const serverLines = (line: string) =>
      sites.map((port) => line.replaceAll('uno', `p${port}`).replace('127.0.0.1:3000', `127.0.0.1:${port}`)).join('\n')
    const text = (await readDeployFile('haproxy.cfg'))
      .replace('bind :80', `bind 127.0.0.1:${plainPort}`)
      .replace('bind :443', `bind 127.0.0.1:${tlsPort}`)
      .replace('/etc/haproxy/certamen.pem', `${work}/certamen.pem`)
      .replaceAll(/^ {2}server uno .*$/gm, serverLines)
      // The rigs read from `x-proceso` which process answered.
      .replaceAll(/^backend \w+$/gm, '$&\n  http-response set-header x-proceso %s')
    return [
      ['haproxy.cfg', text],
      ['-W', '-db', '-f', `${work}/haproxy.cfg`],
    ]
  },
}
