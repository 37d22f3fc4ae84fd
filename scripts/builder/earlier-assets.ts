import { cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** How many earlier builds' files stay answered: whoever has one of their pages open still fetches them. */
const KEPT_BUILDS = 2

interface OutgoingBuild {
  /** The build folder. */
  build: string
  /** Where earlier builds are kept, one folder a build. */
  anteriores: string
  /** What the build in `build` calls itself. */
  construccion: string
  /** Whether another build takes its place now; else it is kept beside the two before it. */
  seVa: boolean
}

/** Keeps the files under /assets of a build, and forgets all but the two newest builds before it. */
export async function keepAssets({ build, anteriores, construccion, seVa }: OutgoingBuild): Promise<void> {
  const name = construccion.trim().slice(0, 16)
  const assets = join(build, 'client/assets')
  if (name === '' || !(await isThere(assets))) return
  await mkdir(anteriores, { recursive: true })
  const kept = join(anteriores, name)
  if (!(await isThere(kept))) {
    const draft = join(anteriores, `.${name}.${process.pid}`)
    await cp(assets, join(draft, 'assets'), { recursive: true })
    // Another process may have kept the same one meanwhile.
    await rename(draft, kept).catch(() => rm(draft, { recursive: true, force: true }))
  }
  const others = (await readdir(anteriores)).filter((one) => one !== name)
  const dated = await Promise.all(others.map(async (one) => ({ one, at: (await stat(join(anteriores, one))).mtimeMs })))
  dated.sort((a, b) => Number(a.one.startsWith('.')) - Number(b.one.startsWith('.')) || b.at - a.at)
  for (const { one } of dated.slice(seVa ? KEPT_BUILDS - 1 : KEPT_BUILDS))
    await rm(join(anteriores, one), { recursive: true, force: true })
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
