import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { root } from '../prepare.mjs'

/** Pattern of messages to ignore: the checker's knowledge of CSS is years behind browsers. */
const IGNORED_MESSAGES = 'CSS:.*'

const pages = globSync('build/pages/*.html', { cwd: root })
if (pages.length === 0) {
  console.error('No hay páginas que revisar: corre «npm run build».')
  process.exit(1)
}
/** Options of the JVM without the optimising compiler, since the run is short; unoptimised code needs a larger stack. */
const JDK_JAVA_OPTIONS = '-Xss4m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC'
const checker = fileURLToPath(import.meta.resolve('vnu-jar'))
const { status } = spawnSync(
  process.execPath,
  [checker, '--errors-only', '--filterpattern', IGNORED_MESSAGES, '--format', 'gnu', ...pages],
  { cwd: root, stdio: 'inherit', env: { ...process.env, JDK_JAVA_OPTIONS } },
)
if (status === 0) console.log(`Sin errores en el HTML de ${pages.length} páginas.`)
process.exit(status ?? 1)
