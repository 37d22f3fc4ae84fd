// npm run check runs the checks. Under any version of Node it first asserts that their dependencies are installed.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, root } from './prepare.mjs'

const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
if (!Object.keys(devDependencies).every((name) => existsSync(join(root, 'node_modules', name))))
  fail('Faltan las herramientas de las comprobaciones: instálalas con «npm ci --ignore-scripts», o corre «npm test».')
await import('./check-runner/check.ts')
