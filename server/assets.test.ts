import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { keepAssets } from '#scripts/build-steps/earlier-assets.ts'
import { loadBuildAssets } from './assets.ts'

async function folder() {
  const build = await mkdtemp(join(tmpdir(), 'certamen-anteriores-'))
  onTestFinished(() => rm(build, { recursive: true, force: true }))
  const earlierBuildsFolder = join(build, 'anteriores')
  return {
    build,
    earlierBuildsFolder,
    /** Replaces the build as scripts/build.ts does: keeps the old assets, then writes the new files. */
    async upgrade(from: string | undefined, to: string, at: number) {
      if (from !== undefined) {
        await keepAssets({ assets: join(build, 'client/assets'), earlierBuildsFolder, buildId: from, isReplaced: true })
        await utimes(join(earlierBuildsFolder, from), at, at)
      }
      await rm(join(build, 'client'), { recursive: true, force: true })
      await mkdir(join(build, 'client/assets'), { recursive: true })
      await writeFile(join(build, `client/assets/${to}.js`), to)
      await writeFile(join(build, 'client/favicon.svg'), to)
    },
  }
}

test('addresses under /assets of the last two builds stay answered, and those of older builds do not', async () => {
  const { build, earlierBuildsFolder, upgrade } = await folder()
  await upgrade(undefined, 'uno', 1)
  await upgrade('uno', 'dos', 2)
  await upgrade('dos', 'tres', 3)
  expect([...(await loadBuildAssets(build)).keys()].sort()).toEqual([
    '/assets/dos.js',
    '/assets/tres.js',
    '/assets/uno.js',
    '/favicon.svg',
  ])
  await upgrade('tres', 'cuatro', 4)
  const files = await loadBuildAssets(build)
  expect([...files.keys()].filter((path) => path.startsWith('/assets/')).sort()).toEqual([
    '/assets/cuatro.js',
    '/assets/dos.js',
    '/assets/tres.js',
  ])
  expect(files.get('/favicon.svg')?.body.toString()).toBe('cuatro')
  expect((await readdir(earlierBuildsFolder)).sort()).toEqual(['dos', 'tres'])
})

test('the assets of an unfinished build, which has no name, are not kept', async () => {
  const { build, earlierBuildsFolder, upgrade } = await folder()
  await upgrade(undefined, 'uno', 1)
  await keepAssets({ assets: join(build, 'client/assets'), earlierBuildsFolder, buildId: '', isReplaced: true })
  expect(await readdir(earlierBuildsFolder).catch(() => [])).toEqual([])
})
