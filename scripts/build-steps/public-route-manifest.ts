import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { publicManifestOf, publicUrlOf, type RouteManifest } from '#app/layout/route-manifest.server.ts'

const PREFIX = 'window.__reactRouterManifest='

/**
 * Writes the route manifest without the panel's routes beside React Router's own manifest.
 * @throws if the build has not exactly one manifest, or one in another form than expected
 */
export async function writePublicManifest(client: string): Promise<void> {
  const [manifestName, ...others] = globSync('assets/manifest-*.js', { cwd: client })
  if (!manifestName || others.length > 0)
    throw new Error(`The build left ${others.length === 0 ? 'no' : 'more than one'} list of routes`)
  const text = await readFile(join(client, manifestName), 'utf8')
  if (!text.startsWith(PREFIX) || !text.endsWith(';'))
    throw new Error('The list of routes has another form than expected')
  const manifest = publicManifestOf(JSON.parse(text.slice(PREFIX.length, -1)) as RouteManifest)
  await writeFile(join(client, publicUrlOf(`/${manifestName}`)), `${PREFIX}${JSON.stringify(manifest)};`)
}
