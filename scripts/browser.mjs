// Finds the browser for the tests, or installs one: Debian's package as root, Playwright's own elsewhere.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { canInstallPackages, installPackage } from './debian.mjs'
import { root } from './prepare.mjs'

const USUAL = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]

/** @returns {string | undefined} path of a Chromium */
export function findBrowser() {
  const own = process.env.CHROMIUM
  if (own) return existsSync(own) ? own : undefined
  return USUAL.find((path) => existsSync(path)) ?? playwrightsOwn()
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

/** @returns {string} */
export function ensureBrowser() {
  const found = findBrowser()
  if (found) return found
  console.log('Instalando un navegador para las pruebas…')
  if (canInstallPackages()) installPackage('chromium')
  else
    spawnSync(process.execPath, [join(root, 'node_modules/@playwright/test/cli.js'), 'install', 'chromium'], {
      cwd: root,
      stdio: 'inherit',
    })
  const installed = findBrowser()
  if (installed) return installed
  console.error(
    'No hay navegador para las pruebas. Instala Chromium (en Debian: apt-get install chromium) o indica uno con CHROMIUM=/ruta.',
  )
  process.exit(1)
}
