// npm run dev: the site with the modules as they are on disk, reloaded as they change. It has the real site's services,
// except two that would be in the way: no entry is deleted when its time has come, and no page is answered from memory.
import { createServer } from 'node:http'
import { join } from 'node:path'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { createServer as createVite } from 'vite'
import { imageManifest } from '../app/edicion/imagenes.server.ts'
import type { readSettings } from '../app/platform/env.server.ts'
import type { createApp } from '../server/app.ts'
import type { openSite, startCounting, startMail } from '../server/services.ts'
import { type Undo, undoAll } from '../server/undo.ts'
import { endWith } from './fault.ts'
import { makeFonts } from './fonts.ts'
import { makeImages } from './images.ts'
import { root } from './prepare.mjs'

interface DevBundle {
  readSettings: typeof readSettings
  openSite: typeof openSite
  startMail: typeof startMail
  startCounting: typeof startCounting
  createApp: typeof createApp
}

// Screens need the faces and the pictures; originals stand in for missing sizes.
await makeFonts()
await makeImages({ only: 'first-view' }).catch(endWith)
const vite = await createVite({ root, server: { middlewareMode: true }, appType: 'custom' })
const load = () => vite.ssrLoadModule('/server/entry.ts') as Promise<DevBundle>
const undo: Undo = []
const first = await load()
const settings = first.readSettings(process.env)
const { sitio } = await first.openSite(settings, join(root, 'db/migrations'), undo)
const { services, cuentas, registros, ediciones } = sitio
ediciones.acervo.adopt(await imageManifest())
await registros.recover()
undo.push(registros.startSweeping())
undo.push(cuentas.startSweeping())
await first.startMail(services, undo)
await first.startCounting(services, undo)

const server = createServer((request, response) => {
  vite.middlewares(request, response, async () => {
    try {
      const { createApp } = await load()
      // Inline scripts of the development client have no nonce, so the policy is left out here; tests check it on the
      // built site.
      const app = await createApp({ sitio, buildDir: join(root, 'build'), inlineStyles: () => [] })
      const listener = getRequestListener(async (asked, bindings) => {
        const answer = await app.fetch(asked, bindings as HttpBindings)
        const open = new Response(answer.body, answer)
        open.headers.delete('content-security-policy')
        return open
      })
      await listener(request, response)
    } catch (error) {
      vite.ssrFixStacktrace(error as Error)
      console.error(error)
      response.writeHead(500).end(String(error))
    }
  })
})
server.listen(settings.port, settings.host)
console.log(`Desarrollo en http://${settings.host}:${settings.port}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    server.closeAllConnections()
    server.close()
    await vite.close()
    await undoAll(undo)
    process.exit(0)
  })
