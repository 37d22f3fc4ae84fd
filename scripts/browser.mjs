// Finds the browser for the tests and the bench, or installs it: as root Debian's package, otherwise Playwright's own browser.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { canInstallPackages, installPackage } from './debian.mjs'
import { root } from './prepare.mjs'

/** Chromium as people have it. */
const FULL_BROWSER = {
  packageName: 'chromium',
  paths: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable'],
}
/** Chromium without its own interface, in which the tests take two thirds of the time. */
const HEADLESS_SHELL = { packageName: 'chromium-headless-shell', paths: ['/usr/bin/chromium-headless-shell'] }

/** @typedef {typeof FULL_BROWSER} BrowserKind */

/** @param {readonly BrowserKind[]} kinds */
function findBrowser(kinds) {
  const chosenPath = process.env.CHROMIUM
  if (chosenPath) return existsSync(chosenPath) ? chosenPath : undefined
  return kinds.flatMap(({ paths }) => paths).find((path) => existsSync(path)) ?? findPlaywrightBrowser()
}

/** @returns {string | undefined} */
function findPlaywrightBrowser() {
  try {
    const path = createRequire(join(root, 'package.json'))('playwright-core').chromium.executablePath()
    return existsSync(path) ? path : undefined
  } catch {
    return undefined
  }
}

/**
 * @param {readonly BrowserKind[]} kinds by preference; if none is found, the first that the distribution has is installed
 * @returns {string} the browser's path
 */
function findOrInstall(kinds) {
  const path = findBrowser(kinds)
  if (path) return path
  console.log('Instalando un navegador…')
  // A distribution may lack a package of the first kind and have one of the next.
  for (const { packageName } of canInstallPackages() ? kinds : []) if (!findBrowser(kinds)) installPackage(packageName)
  if (!findBrowser(kinds))
    spawnSync(process.execPath, [join(root, 'node_modules/@playwright/test/cli.js'), 'install', 'chromium'], {
      cwd: root,
      stdio: 'inherit',
    })
  const installed = findBrowser(kinds)
  if (installed) return installed
  console.error(
    'No hay navegador. Instala Chromium (en Debian: apt-get install chromium) o indica uno con CHROMIUM=/ruta.',
  )
  process.exit(1)
}

/** @returns {string | undefined} path of a browser for tests */
export const findTestBrowser = () => findBrowser([HEADLESS_SHELL, FULL_BROWSER])

/** @returns {string} path of a browser for tests */
export const ensureTestBrowser = () => findOrInstall([HEADLESS_SHELL, FULL_BROWSER])

/** @returns {string} path of a browser as people have it, for measuring */
export const ensureBrowser = () => findOrInstall([FULL_BROWSER, HEADLESS_SHELL])
