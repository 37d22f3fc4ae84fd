// Debian's packages, for the checks that need a program beside Node.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Whether this process may install packages. */
export const canInstallPackages = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

/** @param {string} name */
export function installPackage(name) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const options = '-y -qq --no-install-recommends'.split(' ')
  for (const args of [
    ['update', '-qq'],
    ['install', ...options, name],
  ])
    spawnSync('apt-get', args, { stdio: 'inherit', env })
}
