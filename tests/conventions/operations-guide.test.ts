import { existsSync, readFileSync } from 'node:fs'
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
  const scripts = known.filter((order) => launcher.includes('guion=$orden') && existsSync(`scripts/${order}.ts`))
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

interface Compose {
  services: Record<
    string,
    { image?: string; read_only?: boolean; cap_drop?: string[]; environment?: Record<string, string> }
  >
}

test('Compose starts the site without rights, on a read-only root, and asks for every secret', () => {
  const { services } = parse(readFileSync('deploy/compose.yaml', 'utf8')) as Compose
  expect(Object.keys(services).sort()).toEqual(['base', 'caddy', 'cubeta', 'objetos', 'sitio'])
  expect(services.sitio).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
  for (const [name, { image }] of Object.entries(services)) expect(image, name).not.toMatch(/:latest$/)
  const asked = new Set(
    [...readFileSync('deploy/compose.yaml', 'utf8').matchAll(/\$\{(\w+)/g)].map(([, name]) => name!),
  )
  const offered = readFileSync('deploy/compose.env', 'utf8')
  expect([...asked].filter((name) => !new RegExp(`^${name}=`, 'm').test(offered))).toEqual([])
})
