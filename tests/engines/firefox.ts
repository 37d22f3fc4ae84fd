import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start } from './engine-process.ts'
import { type BrowserWindow, type Engine, type PageFunction, SIZE } from './window.ts'

/** Preferences of a profile in Spanish without questions, updates or calls to Mozilla's servers. */
const PREFERENCES = {
  'app.update.disabledForTesting': true,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'intl.accept_languages': 'es-MX,es',
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.reportingpolicy.firstRun': false,
}

type ProtocolMessage = {
  id?: number
  method?: string
  result?: unknown
  error?: string
  message?: string
  params?: never
}
type Valor = { type: string; value?: unknown; sharedId?: string }
type Answer = { type: 'success'; result: Valor } | { type: 'exception'; exceptionDetails: { text: string } }

/** Starts Debian's Firefox, which speaks WebDriver BiDi (https://w3c.github.io/webdriver-bidi/) without a driver. */
export async function startFirefox(): Promise<Engine> {
  const profile = await mkdtemp(join(tmpdir(), 'certamen-firefox-'))
  const prefs = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`)
  await writeFile(join(profile, 'user.js'), prefs.join('\n'))
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0']
  const firefox = start('firefox', '/usr/bin/firefox-esr', args, { MOZ_HEADLESS_WIDTH: '1280' })
  const [, url] = await firefox.says(2, /WebDriver BiDi listening on (ws:\S+)/)
  const { send, listen, close } = await connect(`${url}/session`)
  await send('session.new', { capabilities: {} })
  await send('session.subscribe', { events: ['log.entryAdded'] })
  return {
    async newWindow() {
      const { userContext } = (await send('browser.createUserContext', {})) as { userContext: string }
      const { context } = (await send('browsingContext.create', { type: 'window', userContext })) as { context: string }
      const browserWindow = browserWindowOf(send, context, userContext)
      listen(context, browserWindow.fault)
      await browserWindow.resize(SIZE.width, SIZE.height)
      return browserWindow
    },
    async stop() {
      close()
      await firefox.stop()
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

type Send = (method: string, params: object) => Promise<unknown>

async function connect(url: string) {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = () => reject(new Error(`Firefox does not listen on ${url}`))
  })
  const waiting = new Map<number, (message: ProtocolMessage) => void>()
  const listeners = new Map<string, (text: string) => void>()
  let last = 0
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as ProtocolMessage
    if (message.id !== undefined) waiting.get(message.id)?.(message)
    if (message.method === 'log.entryAdded') {
      const { type, level, text, source } = message.params as unknown as Record<string, string> & {
        source: { context: string }
      }
      if (type === 'javascript' && level === 'error') listeners.get(source.context)?.(text!)
    }
  }
  const send: Send = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++last
      waiting.set(id, ({ result, error, message }) => {
        waiting.delete(id)
        if (error) reject(new Error(`${method}: ${error}: ${message}`))
        else resolve(result)
      })
      socket.send(JSON.stringify({ id, method, params }))
    })
  return { send, listen: listeners.set.bind(listeners), close: () => socket.close() }
}

function browserWindowOf(
  send: Send,
  context: string,
  userContext: string,
): BrowserWindow & { fault(text: string): void } {
  const faults: string[] = []
  const call = async (text: string, args: unknown[]): Promise<Valor> => {
    const answer = (await send('script.callFunction', {
      functionDeclaration: `async (json) => { const answer = await (${text})(...JSON.parse(json)); return answer instanceof Node ? answer : JSON.stringify(answer) }`,
      arguments: [{ type: 'string', value: JSON.stringify(args) }],
      target: { context },
      awaitPromise: true,
      userActivation: true,
    })) as Answer
    if (answer.type === 'exception') throw new Error(answer.exceptionDetails.text)
    return answer.result
  }
  return {
    async open(url) {
      await send('browsingContext.navigate', { context, url, wait: 'complete' })
    },
    async reload() {
      await send('browsingContext.reload', { context, wait: 'complete' })
    },
    async ask<F extends PageFunction>(what: F, ...args: Parameters<F>): Promise<Awaited<ReturnType<F>>> {
      const { value } = await call(what.toString(), args)
      return (value === undefined ? undefined : JSON.parse(String(value))) as never
    },
    async perform(inputSequences) {
      await send('input.performActions', { context, actions: inputSequences })
    },
    async choose(field, args, paths) {
      const { sharedId } = await call(field.toString(), args)
      await send('input.setFiles', { context, element: { sharedId }, files: paths })
    },
    async resize(width, height) {
      await send('browsingContext.setViewport', { context, viewport: { width, height } })
    },
    async setCookie(url, name, value) {
      const { hostname: domain } = new URL(url)
      await send('storage.setCookie', {
        cookie: { name, value: { type: 'string', value }, domain, httpOnly: true, sameSite: 'lax' },
        partition: { type: 'context', context },
      })
    },
    async picture() {
      const { data } = (await send('browsingContext.captureScreenshot', { context })) as { data: string }
      return Buffer.from(data, 'base64')
    },
    fault: (text) => faults.push(text),
    faults: () => faults,
    async close() {
      await send('browser.removeUserContext', { userContext })
    },
  }
}
