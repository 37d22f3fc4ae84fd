// npm run dev runs the site with the modules on disk, reloaded as they change, and renders every page on request
// (`isDevelopment` of server/background-work.ts says what does not run).
import { createServer } from 'node:http'
import { join } from 'node:path'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { createServer as createVite } from 'vite'
import { imageManifest } from '#app/cms/media/image-manifest.server.ts'
import type { readSettings } from '#app/core/process/env.server.ts'
import type { createApp } from '../server/app.ts'
import type { startBackgroundWork } from '../server/background-work.ts'
import { endWithFault } from '../server/end-with-fault.ts'
import type { openSite } from '../server/services.ts'
import { type Undo, undoAll } from '../server/undo.ts'
import { makeFonts } from './fonts.ts'
import { makeImages } from './images.ts'
import { root } from './prepare.mjs'

interface DevBundle {
  readSettings: typeof readSettings
  openSite: typeof openSite
  startBackgroundWork: typeof startBackgroundWork
  createApp: typeof createApp
}

// Screens need fonts and pictures; originals replace missing sizes.
await makeFonts()
await makeImages({ only: 'first-view' }).catch(endWithFault)
const vite = await createVite({ root, server: { middlewareMode: true }, appType: 'custom' })
const load = () => vite.ssrLoadModule('/server/entry.ts') as Promise<DevBundle>
const undo: Undo = []
const { settings, site } = await open().catch(async (error: unknown) => {
  await undoAll(undo).catch(() => {})
  return endWithFault(error)
})

async function open() {
  const { readSettings, openSite, startBackgroundWork } = await load()
  const settings = readSettings(process.env)
  const { site, connection, secret } = await openSite(settings, join(root, 'db/migrations'), undo)
  site.editions.mediaCache.serve(await imageManifest())
  await startBackgroundWork({ site, connection, secret, root, say: console.log, isDevelopment: true }, undo)
  return { settings, site }
}

const server = createServer((request, response) => {
  vite.middlewares(request, response, async () => {
    try {
      const { createApp } = await load()
      // Inline scripts of the development client have no nonce, so the content security policy is removed. Tests check the policy
      // on the built site.
      const app = await createApp({ site, buildDir: join(root, 'build'), inlineStyleHashes: () => [] })
      const listener = getRequestListener(async (fetchRequest, bindings) => {
        const appResponse = await app.fetch(fetchRequest, bindings as HttpBindings)
        const withoutPolicy = new Response(appResponse.body, appResponse)
        withoutPolicy.headers.delete('content-security-policy')
        return withoutPolicy
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
