import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, type Paseo } from '../paseo.ts'
import type { Lugar } from './lugar.ts'

interface Dicho {
  ok: boolean
  linea: string
  lineas?: { titulo: string; nivel: string }[]
}

/** The commands of the terminal, on one machine of several, while all of them serve. @param paquete opened */
export async function tryOrdenes({ holds }: Paseo, lugar: Lugar, paquete: string): Promise<void> {
  console.log('Las órdenes de la terminal, en una de las máquinas:')
  const [uno, dos] = lugar.procesos
  const orden = async (dataDir: string, ...args: string[]): Promise<Dicho> => {
    const child = spawn(join(paquete, 'certamen'), [...args, '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...lugar.env, PATH: process.env.PATH, DATA_DIR: dataDir, SITE_CLOCK: lugar.now().toISOString() },
    })
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
    expect(out.startsWith('{'), `${args.join(' ')}: ${out}${err}`)
    return JSON.parse(out) as Dicho
  }
  const copia = join(lugar.work, 'copia')
  await holds('respaldo, a través de pgbouncer, y su ensayo en otra máquina', async () => {
    const made = await orden(uno!.dataDir, 'respaldo', '--a', copia)
    expect(made.ok, made.linea)
    const tried = await orden(dos!.dataDir, 'restaurar', copia, '--comprobar')
    expect(tried.ok, tried.linea)
  })
  await holds('dos respaldos a la vez en dos máquinas: uno se hace, al otro se le dice', async () => {
    const both = await Promise.all([uno!, dos!].map(({ dataDir }) => orden(dataDir, 'respaldo', '--a', copia)))
    expect(
      both.filter(({ ok }) => ok).length === 1 && both.some(({ linea }) => linea.includes('espera a que termine')),
      both.map(({ linea }) => linea).join(' | '),
    )
  })
  await holds('estado dice lo mismo en cada una', async () => {
    const all = await Promise.all([uno!, dos!].map(({ dataDir }) => orden(dataDir, 'estado')))
    const [one, other] = all.map(({ lineas = [] }) =>
      lineas.map(({ titulo, nivel }) => `${titulo}: ${nivel}`).join('; '),
    )
    expect(one === other && one !== '', `${one} | ${other}`)
  })
}
