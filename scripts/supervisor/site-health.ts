import { request } from 'node:http'

const REQUEST_TIMEOUT_MS = 10_000
/** The pages that visitors need most: home, form, vote. */
const PAGES = ['/', '/registro', '/misspopularidad']

interface SiteResponse {
  status: number
  text: string
}

/** Requests a path from one process of the site, over the process's Unix socket for health checks. */
function fetchPath(socketPath: string, path: string): Promise<SiteResponse> {
  return new Promise((resolve, reject) => {
    // A bot's user agent keeps the request from being counted as a visit.
    const headers = { host: 'localhost', 'user-agent': 'certamen-salud (bot)', connection: 'close' }
    const outgoing = request(
      { socketPath, path, headers, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) },
      (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('end', () => resolve({ status: response.statusCode!, text: Buffer.concat(parts).toString() }))
        response.on('error', reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end()
  })
}

const errorInWords = (error: unknown) =>
  (error as Error).name === 'AbortError' || (error as Error).name === 'TimeoutError'
    ? `no contesta en ${REQUEST_TIMEOUT_MS / 1000} s`
    : `no contesta (${(error as NodeJS.ErrnoException).code ?? error})`

/** Requests a path. @returns the text, and the fault in Spanish, if there is one */
async function findFaultAt(socketPath: string, path: string): Promise<{ fault?: string; text: string }> {
  try {
    const { status, text } = await fetchPath(socketPath, path)
    return status === 200 ? { text } : { text, fault: `${path} contesta ${status}` }
  } catch (error) {
    return { text: '', fault: `${path} ${errorInWords(error)}` }
  }
}

/**
 * Checks the health of a process of the site: database and storage, pages, and a script that the home refers to.
 * @returns the fault in Spanish; undefined when healthy
 */
export async function checkHealth(socketPath: string): Promise<string | undefined> {
  const ready = await findFaultAt(socketPath, '/readyz')
  if (ready.fault) return ready.text ? `${ready.fault}: ${ready.text.trim().slice(0, 200)}` : ready.fault
  let home = ''
  for (const path of PAGES) {
    const { fault, text } = await findFaultAt(socketPath, path)
    if (fault) return fault
    if (path === '/') home = text
  }
  const asset = /\/assets\/[\w.-]+\.js/.exec(home)?.[0]
  if (asset === undefined) return 'la portada no nombra ningún archivo suyo'
  return (await findFaultAt(socketPath, asset)).fault
}

/** Makes a short health check for polling: /healthz and the home. @returns the fault in Spanish; undefined when healthy */
export const checkBriefly = async (socketPath: string): Promise<string | undefined> =>
  (await findFaultAt(socketPath, '/healthz')).fault ?? (await findFaultAt(socketPath, '/')).fault
