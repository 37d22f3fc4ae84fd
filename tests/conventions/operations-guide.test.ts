import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const guide = readFileSync('docs/operacion.md', 'utf8')
const launcher = readFileSync('scripts/certamen.sh', 'utf8')

test('the package brings every command that docs/operacion.md names', () => {
  const named = [...guide.matchAll(/(?:^|`)certamen ([a-z]+)/gm)].map(([, order]) => order!)
  expect(new Set(named)).toContain('respaldo')
  const known = [...launcher.matchAll(/^ {2}([a-z| -]+)\)/gm)].flatMap(([, orders]) =>
    orders!.split('|').map((one) => one.trim()),
  )
  expect([...new Set(named)].filter((order) => !known.includes(order))).toEqual([])
  const scripts = known.filter((order) => launcher.includes('script=$command') && existsSync(`scripts/${order}.ts`))
  for (const order of named) expect(scripts.includes(order) || /^(sano|version)$/.test(order), order).toBe(true)
})

test('every file of deploy/ that docs/operacion.md or deploy/ names exists', () => {
  const texts = [
    guide,
    ...['nginx.conf', 'Caddyfile', 'haproxy.cfg'].map((file) => readFileSync(`deploy/${file}`, 'utf8')),
  ]
  const led = texts.flatMap((text) => [...text.matchAll(/(?:\.\.|certamen\/actual|paquete)\/(deploy\/[\w./-]+\w)/g)])
  expect(led.length).toBeGreaterThan(8)
  expect(led.map(([, path]) => path!).filter((path) => !existsSync(path))).toEqual([])
})

test('the installer removes versions that nothing needs, and bounds the journal', () => {
  const installer = readFileSync('deploy/instalar.sh', 'utf8')
  const [limpia] = /^limpia\(\) \{\n[\s\S]*?^\}\n/m.exec(installer)!
  const root = mkdtempSync(join(tmpdir(), 'certamen-versiones-'))
  const versionsFolder = join(root, 'opt/certamen')
  for (const name of ['1-vieja', '2-libro', '3-antes', '4-nueva']) {
    mkdirSync(join(versionsFolder, name), { recursive: true })
    writeFileSync(join(versionsFolder, name, 'paquete.json'), '{}')
  }
  // A folder that is no version stays.
  mkdirSync(join(versionsFolder, 'mia'))
  const ledger = join(root, 'var/lib/certamen/construcciones')
  mkdirSync(ledger, { recursive: true })
  writeFileSync(join(ledger, 'libro.json'), JSON.stringify({ antes: { carpeta: join(versionsFolder, '2-libro') } }))
  symlinkSync(join(versionsFolder, '4-nueva'), join(versionsFolder, 'actual'))
  const script = `set -eu; avisa() { echo "$*"; }; lugar=/opt/certamen/4-nueva; antes=/opt/certamen/3-antes\n${limpia}limpia`
  const said = execFileSync('sh', ['-c', script.replaceAll(/\/(opt|var\/lib)\/certamen/g, `${root}$&`)], {
    encoding: 'utf8',
  })
  expect(said).toBe('Se quitó la versión 1-vieja, que ya no hace falta.\n')
  expect(readdirSync(versionsFolder).sort()).toEqual(['2-libro', '3-antes', '4-nueva', 'actual', 'mia'])
  rmSync(root, { recursive: true })
  expect(installer.match(/(^ *|\|\| )limpia$/gm)).toHaveLength(2)
  expect(installer).toContain('SystemMaxUse=500M')
})

test('root writes new settings only of a command that ended well, and only those that it asks for', () => {
  const installer = readFileSync('deploy/instalar.sh', 'utf8')
  const [, wrapper] = /certamen\.nuevo <<'FIN'\n([\s\S]*?)^FIN$/m.exec(installer)!
  const root = mkdtempSync(join(tmpdir(), 'certamen-ajustes-'))
  const [settings, oldSettings] = [join(root, 'certamen.env'), join(root, 'certamen.env.antes')]
  for (const [name, text] of Object.entries({
    id: 'echo 0',
    setpriv: 'cat; echo "$NAME=\'$A\'"; exit $CODE',
    systemctl: 'echo "$*"',
  }))
    writeFileSync(join(root, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  writeFileSync(settings, "# Mine.\nA='1 2'\n", { mode: 0o600 })
  const order = (CODE: string, NAME: string) =>
    spawnSync('sh', ['-c', wrapper!.replaceAll('/etc/certamen', root), 'certamen', 'configurar'], {
      input: 's\n',
      encoding: 'utf8',
      env: { PATH: `${root}:${process.env.PATH}`, CODE, NAME },
    })
  for (const [code, name, said] of [
    ['1', 'AVISO_URL', "# Mine.\nA='1 2'\nAVISO_URL='1 2'\n"],
    ['0', 'LD_PRELOAD', expect.stringMatching(/^No se guardó nada/)],
    // Text that grep takes for binary is read all the same.
    ['0', '\x01LD_PRELOAD', expect.stringMatching(/^No se guardó nada/)],
  ] as const) {
    expect(order(code, name)).toMatchObject({ status: 1, stderr: said })
    expect(existsSync(oldSettings) || existsSync(`${settings}.nuevo`)).toBe(false)
  }
  expect(order('0', 'AVISO_URL')).toMatchObject({ status: 0, stdout: expect.stringContaining('restart certamen\n') })
  expect(readFileSync(settings, 'utf8')).toBe("# Mine.\nA='1 2'\nAVISO_URL='1 2'\n")
  expect(readFileSync(oldSettings, 'utf8')).toBe("# Mine.\nA='1 2'\n")
  expect(statSync(settings).mode & 0o077).toBe(0)
  rmSync(root, { recursive: true })
})

test('nginx asks another machine where one is away', () => {
  expect(readFileSync('deploy/nginx.conf', 'utf8')).toMatch(/^ *proxy_next_upstream error timeout;$/m)
})

interface Compose {
  services: Record<
    string,
    { image?: string; read_only?: boolean; cap_drop?: string[]; logging?: { options: Record<string, string> } }
  >
}

test('Compose starts the site without rights, on a read-only root, and asks for every secret', () => {
  const { services } = parse(readFileSync('deploy/compose.yaml', 'utf8')) as Compose
  expect(Object.keys(services).sort()).toEqual(['base', 'caddy', 'sitio'])
  expect(services.sitio).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
  // These images are kept up to date by their makers, and no log grows without end.
  for (const [name, { image, logging }] of Object.entries(services)) {
    expect(image, name).toMatch(/^(localhost\/certamen|docker\.io\/library\/(postgres|caddy):\d+)$/)
    expect(logging?.options, name).toMatchObject({ 'max-size': '10m' })
  }
  const asked = new Set(
    [...readFileSync('deploy/compose.yaml', 'utf8').matchAll(/\$\{(\w+)/g)].map(([, name]) => name!),
  )
  const offered = readFileSync('deploy/compose.env', 'utf8')
  expect([...asked].filter((name) => !new RegExp(`^${name}=`, 'm').test(offered))).toEqual([])
})
