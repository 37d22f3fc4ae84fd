import { request } from 'node:http'

/** How long one answer may take. */
const ANSWER_MS = 10_000
/** What visitors need most: the home, the form, the vote. */
const PAGES = ['/', '/registro', '/misspopularidad']

interface Answer {
  status: number
  text: string
}

/** Asks a process of the site, and no other, by the Unix socket that it has for this. */
function ask(socketPath: string, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // Named as a robot, so that it is counted as no visit.
    const headers = { host: 'localhost', 'user-agent': 'certamen-salud (bot)', connection: 'close' }
    const asked = request({ socketPath, path, headers, signal: AbortSignal.timeout(ANSWER_MS) }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => resolve({ status: response.statusCode!, text: Buffer.concat(parts).toString() }))
      response.on('error', reject)
    })
    asked.on('error', reject)
    asked.end()
  })
}

const whatOf = (error: unknown) =>
  (error as Error).name === 'AbortError' || (error as Error).name === 'TimeoutError'
    ? `no contesta en ${ANSWER_MS / 1000} s`
    : `no contesta (${(error as NodeJS.ErrnoException).code ?? error})`

/** @returns what is wrong with one address, undefined when all is well */
async function wrongAt(socketPath: string, path: string): Promise<{ said?: string; text: string }> {
  try {
    const { status, text } = await ask(socketPath, path)
    return status === 200 ? { text } : { text, said: `${path} contesta ${status}` }
  } catch (error) {
    return { text: '', said: `${path} ${whatOf(error)}` }
  }
}

/**
 * Looks at a process of the site as a visitor would: its pages, a file that its home names, database and storage.
 * @returns what is wrong, in Spanish; undefined when it is well
 */
export async function checkHealth(socketPath: string): Promise<string | undefined> {
  const ready = await wrongAt(socketPath, '/readyz')
  if (ready.said) return ready.text ? `${ready.said}: ${ready.text.trim().slice(0, 200)}` : ready.said
  let home = ''
  for (const path of PAGES) {
    const { said, text } = await wrongAt(socketPath, path)
    if (said) return said
    if (path === '/') home = text
  }
  const asset = /\/assets\/[\w.-]+\.js/.exec(home)?.[0]
  if (asset === undefined) return 'la portada no nombra ningún archivo suyo'
  return (await wrongAt(socketPath, asset)).said
}

/** The same in short, for looking again and again: whether it answers, and its home. */
export const late = async (socketPath: string): Promise<string | undefined> =>
  (await wrongAt(socketPath, '/healthz')).said ?? (await wrongAt(socketPath, '/')).said
