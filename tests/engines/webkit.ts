import { freePort } from '../support/site/running-site.ts'
import { start } from './engine-process.ts'
import { type BrowserWindow, type Engine, type PageFunction, SIZE } from './window.ts'

const TRIPLET = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu'
const MINI_BROWSER = `/usr/lib/${TRIPLET}/webkit2gtk-4.1/MiniBrowser`
/** WebDriver's web element identifier: the key under which an element is handed over. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/** Starts WebKitGTK, Safari's engine, over WebDriver, on a virtual screen. */
export async function startWebKit(): Promise<Engine> {
  const screen = start('webkit', '/usr/bin/Xvfb', [
    ...['-displayfd', '3', '-nolisten', 'tcp', '-screen', '0', '1700x1300x24'],
  ])
  const [, display] = await screen.says(3, /(\d+)\n/)
  const openDriver = async () => {
    const port = await freePort()
    const driver = start('webkit', '/usr/bin/WebKitWebDriver', [`--port=${port}`], {
      DISPLAY: `:${display}`,
      DBUS_SESSION_BUS_ADDRESS: 'disabled:',
      GTK_A11Y: 'none',
      NO_AT_BRIDGE: '1',
      GSETTINGS_BACKEND: 'memory',
      // WebKit's sandbox needs rights that a container or another user's namespace lacks.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
      WEBKIT_DISABLE_DMABUF_RENDERER: '1',
    })
    const url = `http://127.0.0.1:${port}`
    await listens(`${url}/status`)
    return { ...driver, url }
  }
  let driver = await openDriver()
  return {
    async newWindow() {
      // A MiniBrowser that has just started may never answer its driver; a new driver then starts a new one.
      const sessionId = await newSession(driver.url).catch(async () => {
        driver.child.kill('SIGKILL')
        driver = await openDriver()
        return newSession(driver.url)
      })
      const browserWindow = browserWindowOf(`${driver.url}/session/${sessionId}`)
      await browserWindow.resize(SIZE.width, SIZE.height)
      return browserWindow
    },
    async stop() {
      await driver.stop()
      await screen.stop()
    },
  }
}

async function listens(url: string): Promise<void> {
  const until = Date.now() + 30_000
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (Date.now() > until) throw new Error(`WebKitWebDriver does not listen on ${url}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Starts a MiniBrowser. @returns the session's id */
async function newSession(driverUrl: string): Promise<string> {
  const capabilities = {
    alwaysMatch: { 'webkitgtk:browserOptions': { binary: MINI_BROWSER, args: ['--automation'] } },
  }
  const session = await command('POST', `${driverUrl}/session`, { capabilities }, AbortSignal.timeout(30_000))
  return (session as { sessionId: string }).sessionId
}

async function command(method: string, url: string, body?: object, signal?: AbortSignal): Promise<unknown> {
  const answer = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }), ...(signal && { signal }) })
  const { value } = (await answer.json()) as { value: { error?: string; message?: string } | null }
  if (!answer.ok) throw new Error(`${method} ${new URL(url).pathname}: ${value?.error}: ${value?.message}`)
  return value
}

function browserWindowOf(session: string): BrowserWindow {
  const post = (path: string, body: object) => command('POST', `${session}/${path}`, body)
  const call = (text: string, args: unknown[]) =>
    post('execute/sync', { script: `return (${text})(...arguments)`, args }).then((value) => value ?? undefined)
  return {
    async open(url) {
      await post('url', { url })
    },
    async reload() {
      await post('refresh', {})
    },
    async ask<F extends PageFunction>(what: F, ...args: Parameters<F>): Promise<Awaited<ReturnType<F>>> {
      return (await call(what.toString(), args)) as never
    },
    async perform(inputSequences) {
      await post('actions', { actions: inputSequences })
    },
    async choose(field, args, paths) {
      const { [ELEMENT]: element } = (await call(field.toString(), args)) as Record<string, string>
      await post(`element/${element}/value`, { text: paths.join('\n') })
    },
    async resize(width, height) {
      // The window has a frame; the wanted size is that of the page inside.
      const { outer, inner } = (await call(
        '() => ({ outer: [outerWidth, outerHeight], inner: [innerWidth, innerHeight] })',
        [],
      )) as {
        outer: [number, number]
        inner: [number, number]
      }
      await post('window/rect', { width: width + outer[0] - inner[0], height: height + outer[1] - inner[1] })
    },
    async setCookie(url, name, value) {
      const { hostname: domain } = new URL(url)
      await post('cookie', { cookie: { name, value, domain, path: '/', httpOnly: true, sameSite: 'Lax' } })
    },
    async picture() {
      return Buffer.from(String(await command('GET', `${session}/screenshot`)), 'base64')
    },
    // WebDriver does not report script errors.
    faults: () => [],
    async close() {
      await command('DELETE', session)
    },
  }
}
