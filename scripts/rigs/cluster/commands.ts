import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, type SmokeTest } from '../smoke-test.ts'
import type { Installation } from './machines.ts'

interface CommandOutcome {
  ok: boolean
  linea: string
  lineas?: { titulo: string; nivel: string }[]
}

/** Runs the commands of the terminal on one machine of several, while all of them serve. @param packagePath opened */
export async function tryCommands({ holds }: SmokeTest, place: Installation, packagePath: string): Promise<void> {
  console.log('Las órdenes de la terminal, en una de las máquinas:')
  const [first, second] = place.processes
  const order = async (dataDir: string, ...args: string[]): Promise<CommandOutcome> => {
    const child = spawn(join(packagePath, 'certamen'), [...args, '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...place.env, PATH: process.env.PATH, DATA_DIR: dataDir, SITE_CLOCK: place.now().toISOString() },
    })
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
    expect(out.startsWith('{'), `${args.join(' ')}: ${out}${err}`)
    return JSON.parse(out) as CommandOutcome
  }
  const backup = join(place.work, 'copia')
  await holds('respaldo, a través de pgbouncer, y su ensayo en otra máquina', async () => {
    const made = await order(first!.dataDir, 'respaldo', '--a', backup)
    expect(made.ok, made.linea)
    const tried = await order(second!.dataDir, 'restaurar', backup, '--comprobar')
    expect(tried.ok, tried.linea)
  })
  await holds('dos respaldos a la vez en dos máquinas: uno se hace, al otro se le dice', async () => {
    const both = await Promise.all([first!, second!].map(({ dataDir }) => order(dataDir, 'respaldo', '--a', backup)))
    expect(
      both.filter(({ ok }) => ok).length === 1 && both.some(({ linea }) => linea.includes('espera a que termine')),
      both.map(({ linea }) => linea).join(' | '),
    )
  })
  await holds('estado dice lo mismo en cada una', async () => {
    const all = await Promise.all([first!, second!].map(({ dataDir }) => order(dataDir, 'estado')))
    const [one, other] = all.map(({ lineas = [] }) =>
      lineas.map(({ titulo, nivel }) => `${titulo}: ${nivel}`).join('; '),
    )
    expect(one === other && one !== '', `${one} | ${other}`)
  })
}
