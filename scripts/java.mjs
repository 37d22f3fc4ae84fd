// Finds the Java that the HTML checker runs on, or installs Debian's package as root. Without root, the checker's own package
// downloads a Java at its first use.
import { spawnSync } from 'node:child_process'
import { canInstallPackages, installPackage } from './debian.mjs'

export function ensureJava() {
  if (spawnSync('java', ['-version']).status === 0 || !canInstallPackages()) return
  console.log('Instalando Java para revisar el HTML…')
  installPackage('default-jre-headless')
}
