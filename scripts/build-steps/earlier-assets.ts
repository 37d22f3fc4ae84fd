import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** This many earlier builds keep their files under /assets: pages that visitors opened before an upgrade still fetch them. */
const KEPT_BUILDS = 2

interface OutgoingBuild {
  build: string
  /** The folder of the earlier builds, one subfolder each. */
  previousBuilds: string
  /** The id of the build in `build`; its first 16 characters name the subfolder. */
  buildId: string
  /** `isReplaced` tells that a new build replaces this one now; otherwise this build is kept beside the two builds before it. */
  isReplaced: boolean
}

/** Keeps a build's files under /assets, and removes those of older builds beyond KEPT_BUILDS. */
export async function keepAssets({ build, previousBuilds, buildId, isReplaced }: OutgoingBuild): Promise<void> {
  const name = buildId.trim().slice(0, 16)
  const assets = join(build, 'client/assets')
  if (name === '' || !existsSync(assets)) return
  await mkdir(previousBuilds, { recursive: true })
  const kept = join(previousBuilds, name)
  if (!existsSync(kept)) {
    const draft = join(previousBuilds, `.${name}.${process.pid}`)
    await cp(assets, join(draft, 'assets'), { recursive: true })
    // Another process may have kept the same build meanwhile.
    await rename(draft, kept).catch(() => rm(draft, { recursive: true, force: true }))
  }
  const others = (await readdir(previousBuilds)).filter((one) => one !== name)
  const dated = await Promise.all(
    others.map(async (one) => ({ one, at: (await stat(join(previousBuilds, one))).mtimeMs })),
  )
  dated.sort((a, b) => Number(a.one.startsWith('.')) - Number(b.one.startsWith('.')) || b.at - a.at)
  for (const { one } of dated.slice(isReplaced ? KEPT_BUILDS - 1 : KEPT_BUILDS))
    await rm(join(previousBuilds, one), { recursive: true, force: true })
}
