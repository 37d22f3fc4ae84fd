import type { Autor } from '#app/audit/mutations.server.ts'
import { huellaDeRetirada } from '#app/cms/media/stored-objects.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { retira } from './withdrawal.server.ts'

interface ConCandidatas {
  candidatas?: { id: string }[]
}

/**
 * Takes candidates out again whom a backup from before their withdrawal brought back.
 * @param huellas the ledger of deletions
 * @param tieneVotos whether a candidate has votes in an edition
 * @returns how many
 */
export async function repiteRetiros(
  services: Pick<Services, 'db' | 'clock'>,
  clave: Uint8Array,
  huellas: ReadonlySet<string>,
  tieneVotos: (edicion: number, candidata: string) => Promise<boolean>,
  autor: Autor,
): Promise<number> {
  const { db } = services
  const rows = await db.selectFrom('publicaciones').select(['edicion', 'valores']).execute()
  const drafts = await db
    .selectFrom('borradores')
    .select(['edicion', 'valor'])
    .where('documento', '=', 'candidatas.yaml')
    .execute()
  const lists = [
    ...rows.map(({ edicion, valores }) => ({
      edicion,
      lista: valores['candidatas.yaml'] as ConCandidatas | undefined,
    })),
    ...drafts.map(({ edicion, valor }) => ({ edicion, lista: valor as ConCandidatas | undefined })),
  ]
  const back = new Map<string, { edicion: number; candidata: string }>()
  for (const { edicion, lista } of lists)
    for (const { id } of lista?.candidatas ?? []) {
      const huella = huellaDeRetirada(clave, edicion, id)
      if (huellas.has(huella)) back.set(huella, { edicion, candidata: id })
    }
  for (const { edicion, candidata } of back.values()) {
    // Nobody prepares a publication in a database that was just restored: what was under way then is given up.
    await db.updateTable('publicaciones').set({ estado: 'fallida' }).where('estado', '=', 'preparando').execute()
    const anio = edicion
    await retira(services, { anio, candidata, tieneVotos: await tieneVotos(edicion, candidata) }, autor)
  }
  return back.size
}
