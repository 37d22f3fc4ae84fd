import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Number of earlier builds whose files under /assets stay, since pages opened before an upgrade still request them. */
const KEPT_BUILDS = 2

interface BuildToKeep {
  /** Folder of the build's assets. */
  assets: string
  /** Folder of the earlier builds, with one subfolder each. */
  earlierBuildsFolder: string
  /** The first 16 characters name the build's subfolder. */
  buildId: string
  /** Whether a new build is replacing this build; otherwise this build is kept beside the two builds before it. */
  isReplaced: boolean
}

/** Keeps a build's files under /assets, and removes the files of older builds beyond KEPT_BUILDS. */
export async function keepAssets({ assets, earlierBuildsFolder, buildId, isReplaced }: BuildToKeep): Promise<void> {
  const ownName = buildId.trim().slice(0, 16)
  if (ownName === '' || !existsSync(assets)) return
  await mkdir(earlierBuildsFolder, { recursive: true })
  const keptBuild = join(earlierBuildsFolder, ownName)
  if (!existsSync(keptBuild)) {
    const tempFolder = join(earlierBuildsFolder, `.${ownName}.${process.pid}`)
    await cp(assets, join(tempFolder, 'assets'), { recursive: true })
    // Another process may have kept the same build in the meantime.
    await rename(tempFolder, keptBuild).catch(() => rm(tempFolder, { recursive: true, force: true }))
  }
  const otherNames = (await readdir(earlierBuildsFolder)).filter((name) => name !== ownName)
  const datedNames = await Promise.all(
    otherNames.map(async (name) => ({ name, keptAtMs: (await stat(join(earlierBuildsFolder, name))).mtimeMs })),
  )
  // Temporary folders, which killed processes left, come last.
  datedNames.sort((a, b) => Number(a.name.startsWith('.')) - Number(b.name.startsWith('.')) || b.keptAtMs - a.keptAtMs)
  for (const { name } of datedNames.slice(isReplaced ? KEPT_BUILDS - 1 : KEPT_BUILDS))
    await rm(join(earlierBuildsFolder, name), { recursive: true, force: true })
}
