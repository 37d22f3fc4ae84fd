import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from './site.ts'

/**
 * Ignored messages: those of scripts/check-runner/validate-html.ts, and one about the required lists that begin with their default (§2.8,
 * §2.9). The dots stand for quotation marks, which a machine without a locale mangles.
 */
const NOT_ASKED = 'CSS:.*|The first .option. element in a .select. element with a .required. attribute.*'

/** Options for a short run, which scripts/check-runner/validate-html.ts explains. */
const BRIEF_JAVA = '-Xss4m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC'

test('the forms are valid HTML: blank, and as they come back with errors', async ({ request }) => {
  const blank = ['/registro', '/registro-traje-tipico', '/folio']
  const answers = await Promise.all([
    ...blank.map((path) => request.get(path)),
    ...blank.slice(0, 2).map((path) => request.post(path, { multipart: { entrega: crypto.randomUUID() } })),
    request.post('/folio', { form: { folio: '7K3M-Q9XT-04WB' } }),
  ])
  expect(answers.map((answer) => answer.status())).toEqual([200, 200, 200, 422, 422, 404])
  const folder = await mkdtemp(join(tmpdir(), 'certamen-html-'))
  const files = answers.map((_, at) => join(folder, `${at}.html`))
  for (const [at, file] of files.entries()) await writeFile(file, await answers[at]!.text())
  const args = [fileURLToPath(import.meta.resolve('vnu-jar')), '--errors-only', '--filterpattern', NOT_ASKED, ...files]
  const env = { ...process.env, JDK_JAVA_OPTIONS: BRIEF_JAVA }
  const said = await promisify(execFile)(process.execPath, args, { env }).catch((error: { stderr: string }) => error)
  expect(said.stderr.match(/.*: error: .*/g) ?? []).toEqual([])
  // A checker that broke off reports no errors either.
  expect(said).not.toHaveProperty('code')
  await rm(folder, { recursive: true })
})
