import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findOwnershipFault, root } from './prepare.mjs'

const run = promisify(execFile)
const LISTED = 'node_modules/.package-lock.json'
let tree: string

/** Each test has a copy of the project with npm's list of installed packages, and a fake npm that only records its call. */
beforeEach(async () => {
  tree = await mkdtemp(join(tmpdir(), 'instalado-'))
  for (const file of ['scripts/prepare.mjs', 'package-lock.json', LISTED]) await cp(join(root, file), join(tree, file))
  await mkdir(join(tree, 'bin'))
  await writeFile(join(tree, 'bin/npm.js'), 'console.error("npm was called"); process.exit(1)')
})
afterEach(() => rm(tree, { recursive: true, force: true }))

const install = () =>
  run(process.execPath, ['-e', `import('./scripts/prepare.mjs').then((m) => m.installDependencies({ dev: false }))`], {
    cwd: tree,
    env: { ...process.env, npm_execpath: join(tree, 'bin/npm.js') },
  })

test('a complete installation by npm itself stays as it is', async () => {
  expect((await install()).stdout).toBe('')
  expect(await readFile(join(tree, 'node_modules/.instalado'), 'utf8')).toMatch(/^[0-9a-f]{64} dev$/)
})

test('an installation that lacks a package, or has another version of one, is repeated', async () => {
  const listed = JSON.parse(await readFile(join(tree, LISTED), 'utf8'))
  listed.packages['node_modules/react'].version = '18.0.0'
  await writeFile(join(tree, LISTED), JSON.stringify(listed))
  await expect(install()).rejects.toThrow('npm was called')
  delete listed.packages['node_modules/react']
  await writeFile(join(tree, LISTED), JSON.stringify(listed))
  await expect(install()).rejects.toThrow('npm was called')
})

test('what another account left, and this one cannot write, is named with the mend', async () => {
  const { uid } = await stat(tree)
  const away = () => false
  const paths = [join(tree, 'bin'), join(tree, 'scripts'), join(tree, 'none')]
  expect(findOwnershipFault(paths, uid + 1, away)).toMatch(
    new RegExp(`^${paths[0]} es de otra cuenta: .*chown -R ${uid + 1} ${paths[0]} ${paths[1]} y repite`),
  )
  // Its own, root's view, a shared folder and Windows.
  for (const fault of [findOwnershipFault(paths, uid || 1, uid ? away : undefined), findOwnershipFault(paths, 0, away)])
    expect(fault).toBeUndefined()
  expect(findOwnershipFault(paths, uid + 1, () => true)).toBeUndefined()
})
