import { expect, type Paseo } from '../paseo.ts'
import { abrirRegistros, tryInscripciones } from './inscripciones.ts'
import { openLugar } from './lugar.ts'
import { tryOrganizacion } from './organizacion.ts'
import { Visitante } from './visitante.ts'
import { tryVotacion } from './votacion.ts'

/** Scripts and styles that a page of the site asks for. */
const assetsOf = (page: string) => [...new Set(page.match(/\/assets\/[\w./-]+\.(?:js|css)/g))]

/**
 * An upgrade halfway: one process of the version before, two of this one, over one database.
 * @param antes, ahora opened packages
 */
export async function tryVersiones(paseo: Paseo, [antes, ahora]: [string, string], desde: number): Promise<void> {
  console.log('Dos versiones lado a lado:')
  const lugar = await openLugar(ahora, { desde })
  const [vieja, ...nuevas] = lugar.procesos
  try {
    await paseo.holds('la nueva arranca y migra mientras la de antes sirve, y la de antes sigue', async () => {
      await vieja!.start(antes)
      await abrirRegistros(lugar)
      await Promise.all(nuevas.map((proceso) => proceso.start()))
      expect(await vieja!.isServing(), 'la de antes ya no sirve')
    })
    await paseo.holds('la página de cada una encuentra sus archivos, conteste quien conteste', async () => {
      const who = new Visitante(lugar)
      const builds = new Set<string>()
      for (const { nombre } of lugar.procesos) {
        const assets = assetsOf((await who.pide('/registro', { por: nombre })).text)
        expect(assets.length > 3, `${nombre}: ${assets.length} archivos`)
        builds.add(assets.sort().join())
        for (let turn = 0; turn < lugar.procesos.length; turn++)
          for (const path of assets) {
            const { status } = await who.pide(path)
            expect(status === 200, `${path} de ${nombre}: ${status}`)
          }
      }
      if (builds.size === 1) paseo.untried.push('archivos de dos construcciones: las dos versiones tienen los mismos')
    })
    await tryInscripciones(paseo, lugar)
    await tryOrganizacion(paseo, lugar)
    await tryVotacion(paseo, lugar)
  } finally {
    await lugar.stop()
  }
}
