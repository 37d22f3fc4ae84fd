import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listenSmtp } from '#tests/support/mail/smtp-listener.ts'
import { configure, withSetting } from './configure.ts'

const KEY = '0f3c9-1a2b3-c4d5e'

/** Answers each question that has an answer left by its first words; any other keeps what stands. */
async function configureBy(text: string, given: [question: string, answer: string][], key = KEY) {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-configurar-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const left = given.map(([question, answer]) => [question, answer.replace('FOLDER', folder)])
  await writeFile(join(folder, 'file'), '')
  const said: string[] = []
  let notedCount = 0
  const after = await configure(
    text,
    { DATA_DIR: join(folder, 'data') },
    {
      ask: async (question) => {
        const at = left.findIndex(([start]) => question.startsWith(start!))
        return at < 0 ? '' : left.splice(at, 1)[0]![1]!
      },
      say: (line) => said.push(line),
      readKey: async () => (key === '' ? undefined : { passphrase: key, markNoted: async () => void notedCount++ }),
    },
  )
  expect(left).toEqual([])
  return { after, said, notedCount }
}

async function listenHttp(): Promise<string> {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/healthz' || request.url === '/mine' ? 200 : 404
    response.end('ok')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('each wrong answer is told in a sentence, and asked for again', async () => {
  const [site, smtp] = [await listenHttp(), await listenSmtp()]
  onTestFinished(() => smtp.close())
  const { after, said, notedCount } = await configureBy('# Mine.\nPORT=3000\n#SMTP_URL=x\nBACKUP_URL=/old\n', [
    ['Dominio', 'nadie.invalid'],
    // An answer other than c or s is asked for again, and nothing is lost by it.
    ['¿La corriges', site],
    ['¿La corriges', 'c'],
    ['Dominio', site],
    ['¿La corriges', 's'],
    ['Correo', 'comité'],
    ['¿La corriges', 'c'],
    ['Correo', 'comite@ejemplo.mx'],
    ['Servidor', '127.0.0.1:1'],
    ['¿La corriges', 'c'],
    ['Servidor', `127.0.0.1:${smtp.port}`],
    ['Mandé uno a comite@ejemplo.mx', 'n'],
    ['¿La corriges', 'c'],
    ['Servidor', ''],
    ['Mandé uno a comite@ejemplo.mx', 's'],
    ['Lugar', 'copias'],
    ['¿La corriges', 'c'],
    ['Lugar', 'FOLDER/file'],
    ['¿La corriges', 'c'],
    ['Lugar', 'FOLDER/copies'],
    ['¿La corriges', 's'],
    ['Últimos cinco', ''],
    ['Escribe sus últimos', '00000'],
    ['¿La corriges', 'c'],
    ['Últimos cinco', 'c4d5e'],
    ['Dirección', `${site}/other`],
    ['¿La corriges', 'c'],
    ['Dirección', `${site}/mine`],
  ])
  expect(said.map((line) => line.replaceAll(/\d{4,}/g, 'N'))).toEqual([
    expect.stringMatching(/^Nadie sabe adónde lleva nadie\.invalid \(\w+\)\. Revisa/),
    expect.stringMatching(/^PUBLIC_URL es 127\.0\.0\.1: sólo sirve en esta máquina o red\./),
    'El ajuste ADMIN_EMAIL debe ser un correo como comite@ejemplo.mx.',
    expect.stringMatching(/^127\.0\.0\.1 no acepta correo \(\w+\)\. Revisa/),
    expect.stringMatching(/^El servidor lo aceptó y no lo entregó\./),
    expect.stringMatching(/^El ajuste BACKUP_URL debe ser una carpeta de otro disco/),
    expect.stringMatching(/file no se puede abrir como carpeta \(\w+\)\. Revisa/),
    expect.stringMatching(/^Para que el servicio escriba ahí: systemctl edit certamen/),
    expect.stringMatching(/^Ese lugar está en el mismo disco que los datos/),
    `Es ${KEY} y sin ella ninguna copia se abre en otro servidor. Escríbela en papel y guárdala lejos de él.`,
    'No son ésos.',
    expect.stringMatching(/^127\.0\.0\.1:N no recibió la señal \(404\)\./),
    'Contesta: si el sitio calla, ese servicio te avisa.',
    'Falta: dominio, lugar de las copias. Repite la orden cuando lo tengas.',
  ])
  expect(smtp.accepted.map(({ to }) => to)).toEqual([['comite@ejemplo.mx'], ['comite@ejemplo.mx']])
  expect(notedCount).toBe(1)
  expect(after.replaceAll(/'\/.*\/copies/g, "'/copies")).toBe(
    `# Mine.\nPORT=3000\nSMTP_URL='smtp://127.0.0.1:${smtp.port}'\nBACKUP_URL='/copies'\nPUBLIC_URL='${site}'\nADMIN_EMAIL='comite@ejemplo.mx'\nAVISO_URL='${site}/mine'\n`,
  )
})

test('empty answers change nothing, and all that is missing is named', async () => {
  const { after, said } = await configureBy('# Mine.\nPORT=3000\n', [], '')
  expect(after).toBe('# Mine.\nPORT=3000\n')
  expect(said.at(-1)).toBe(
    'Falta: dominio, correo de quien organiza, correo, lugar de las copias, clave de las copias, vigilancia. Repite la orden cuando lo tengas.',
  )
})

test('an account and a password may have any sign', async () => {
  const { after } = await configureBy('', [
    ['Servidor', '127.0.0.1:465'],
    ['Su cuenta', 'avisos@ejemplo.mx'],
    ['Su clave', "a'b/c"],
  ])
  expect(after).toBe("SMTP_URL='smtps://avisos%40ejemplo.mx:a%27b%2Fc@127.0.0.1:465'\n")
})

test('a setting replaces its line, else the one behind «#», else it comes last', () => {
  expect(withSetting('A=1\n#B=2\n# C.\nA=3\n', 'A', '4')).toBe("A='4'\n#B=2\n# C.\n")
  expect(withSetting('A=1\n#B=2', 'B', '4')).toBe("A=1\nB='4'\n")
  expect(withSetting('', 'B', '4')).toBe("B='4'\n")
})
