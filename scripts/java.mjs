// Finds the Java that the HTML checker runs on, or installs it: Debian's package as root; elsewhere the checker's own
// package fetches one when it is first used.
import { spawnSync } from 'node:child_process'
import { canInstallPackages, installPackage } from './debian.mjs'

export function ensureJava() {
  if (spawnSync('java', ['-version']).status === 0 || !canInstallPackages()) return
  console.log('Instalando Java para revisar el HTML…')
  installPackage('default-jre-headless')
}
