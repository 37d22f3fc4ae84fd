// Finds the browser for the tests and the bench, or installs it: as root Debian's package, otherwise Playwright's own browser.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { canInstallPackages, installPackage } from './debian.mjs'
import { root } from './prepare.mjs'

/**
 * `WHOLE` is Chromium as people have it. `SHELL` is the headless shell, which opens pages without the browser's own interface, and
 * in which the tests take two thirds of the time.
 */
const WHOLE = {
  name: 'chromium',
  usual: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable'],
}
const SHELL = { name: 'chromium-headless-shell', usual: ['/usr/bin/chromium-headless-shell'] }

/** @typedef {typeof WHOLE} Kind */

/** @param {readonly Kind[]} kinds */
function find(kinds) {
  const own = process.env.CHROMIUM
  if (own) return existsSync(own) ? own : undefined
  return kinds.flatMap(({ usual }) => usual).find((path) => existsSync(path)) ?? playwrightsOwn()
}

/** @returns {string | undefined} */
function playwrightsOwn() {
  try {
    const path = createRequire(join(root, 'package.json'))('playwright-core').chromium.executablePath()
    return existsSync(path) ? path : undefined
  } catch {
    return undefined
  }
}

/**
 * @param {readonly Kind[]} kinds by preference; if none is found, the first that the distribution has is installed
 * @returns {string} the browser's path
 */
function ensure(kinds) {
  const found = find(kinds)
  if (found) return found
  console.log('Instalando un navegador…')
  // A distribution may lack a package of the first kind and have one of the next.
  for (const { name } of canInstallPackages() ? kinds : []) if (!find(kinds)) installPackage(name)
  if (!find(kinds))
    spawnSync(process.execPath, [join(root, 'node_modules/@playwright/test/cli.js'), 'install', 'chromium'], {
      cwd: root,
      stdio: 'inherit',
    })
  const installed = find(kinds)
  if (installed) return installed
  console.error(
    'No hay navegador. Instala Chromium (en Debian: apt-get install chromium) o indica uno con CHROMIUM=/ruta.',
  )
  process.exit(1)
}

/** @returns {string | undefined} path of a browser for tests */
export const findTestBrowser = () => find([SHELL, WHOLE])

/** @returns {string} path of a browser for tests */
export const ensureTestBrowser = () => ensure([SHELL, WHOLE])

/** @returns {string} path of a browser as people have it, for measuring */
export const ensureBrowser = () => ensure([WHOLE, SHELL])
