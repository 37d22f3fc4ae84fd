import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { certify, DEPLOYED_HOST, type ProxyName, startProxy } from '#tests/support/external-servers/proxies.ts'
import { type RunningSite, startSite } from '#tests/support/site/running-site.ts'
import { FORM_VALUES, makeDocuments, makeSampleFile, newSubmissionId } from '#tests/support/site/test-site.ts'
import { root } from '../prepare.mjs'
import { expect } from './smoke-test.ts'

export const MIB = 2 ** 20

export interface CurlResponse {
  /** curl's exit code: 0 for a complete response. */
  exitCode: number
  status: number
  httpVersion: string
  body: Buffer
  headerText: string
}

/** The deployment rig's folder and ports, and a visitor who sends requests over TLS. */
export type DeploymentFixture = Awaited<ReturnType<typeof createDeploymentFixture>>

/** @param firstPort port of the site; the proxy takes the next two ports, the S3 server `firstPort + 11` */
export async function createDeploymentFixture(workFolder: string, firstPort: number) {
  const [sitePort, tlsPort, plainPort] = [firstPort, firstPort + 1, firstPort + 2]
  const origin = `https://${DEPLOYED_HOST}:${tlsPort}`
  const caCertificateFile = await certify(workFolder, `DNS:${DEPLOYED_HOST}`)

  /** Requests a path over TLS with curl, as a visitor. @returns the response, its headers in lower case */
  async function request(
    path: string,
    args: readonly string[] = [],
    bodyFile = join(workFolder, `respuesta-${Math.random()}`),
  ): Promise<CurlResponse> {
    const child = spawn(
      'curl',
      [
        ...[
          '-sS',
          '--cacert',
          caCertificateFile,
          '--resolve',
          `${DEPLOYED_HOST}:${tlsPort}:127.0.0.1`,
          '-o',
          bodyFile,
          '-D',
          `${bodyFile}.h`,
        ],
        ...['-w', '%{http_code} %{http_version}', '--max-time', '120', ...args, `${origin}${path}`],
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    )
    const [output, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'close')])
    const [status, httpVersion = ''] = output.split(' ')
    const body = await readFile(bodyFile).catch(() => Buffer.alloc(0))
    const headerText = (await readFile(`${bodyFile}.h`, 'utf8').catch(() => '')).toLowerCase()
    return { exitCode: exitCode ?? 1, status: Number(status), httpVersion, body, headerText }
  }

  return {
    work: workFolder,
    sitePort,
    tlsPort,
    plainPort,
    s3Port: tlsPort + 10,
    origin,
    ask: request,
    openProxy: (name: ProxyName, sites = [sitePort]) =>
      startProxy(name, { work: workFolder, tlsPort, plainPort, sites }),
    openSite: (env: Record<string, string> = {}): Promise<RunningSite> =>
      startSite(
        {
          PORT: String(sitePort),
          PUBLIC_URL: origin,
          TRUSTED_PROXIES: '1',
          LOG_LEVEL: 'silent',
          SITE_CLOCK: '2025-08-01T12:00:00-06:00',
          DISK_FLOOR: '1%',
          ...env,
        },
        root,
      ),

    /** Sends a registration of twelve megabytes in one form, like a browser without JavaScript. */
    async register(registrationNumber = 1): Promise<CurlResponse> {
      const values = {
        ...FORM_VALUES,
        nombre: `Ana María Colorín ${'I'.repeat(registrationNumber)}`,
        entrega: newSubmissionId(),
      }
      const fields = Object.entries(values).flatMap(([name, value]) => ['--form-string', `${name}=${value}`])
      const files: string[] = []
      for (const [index, { clase, name, body }] of makeDocuments(200_000).entries()) {
        const file = join(workFolder, `documento-${index}`)
        // Nearly all bytes are in one document. The export's ZIP, which stores files uncompressed, is large then.
        await writeFile(file, clase === 'fotoRostro' ? makeSampleFile('heic', 11 * MIB) : body)
        files.push('-F', `${clase}=@${file};filename="${name}"`)
      }
      return request('/registro', ['-H', `Origin: ${origin}`, '-H', 'Expect:', ...fields, ...files])
    },

    /** Signs the site's first administrator in. @returns curl's file of cookies */
    async signIn({ dataDir }: RunningSite): Promise<string> {
      const adminFile = await readFile(join(dataDir, 'primer-administrador.txt'), 'utf8')
      const [email, password] = [/^Correo: (.*)$/m, /^Contraseña: (.*)$/m].map(
        (pattern) => pattern.exec(adminFile)![1]!,
      )
      const fields = { hacer: 'entrar', correo: email!, clave: password! }
      const dataArgs = Object.entries(fields).flatMap(([name, value]) => ['--data-urlencode', `${name}=${value}`])
      const cookieFile = join(workFolder, `galletas-${Math.random()}`)
      const { headerText } = await request('/organizadores', ['-H', `Origin: ${origin}`, '-c', cookieFile, ...dataArgs])
      expect(headerText.includes('set-cookie:'), `no se pudo entrar: ${headerText}`)
      return cookieFile
    },
  }
}

/** Returns the first 300 characters of a page without its tags, scripts and styles. */
export const textExcerptOf = (html: Buffer | string): string =>
  html
    .toString()
    .replaceAll(/<(script|style)[\s\S]*?<\/\1>|<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 300)
