import type { Edicion } from '#app/cms/editions/displayed-edition.server.ts'
import { slugOf } from '#app/cms/schema/edition-documents.ts'
import type { EventoDelPrograma } from '#app/cms/schema/programme.ts'
import type { Evento } from './ics.server.ts'

/** An event of the programme as a calendar has it. */
export function comoEvento(
  { id, que, lugar, quien, nota, inicia, acaba }: EventoDelPrograma,
  edicion: Pick<Edicion, 'nombre' | 'lugar'>,
  origen: string,
): Evento {
  const { ciudad, estado } = edicion.lugar
  const descripcion = [quien, nota].filter((line) => line !== undefined).join('\n')
  return {
    uid: `${id}@${slugOf(edicion.nombre)}`,
    titulo: que,
    ...(descripcion && { descripcion }),
    inicia,
    ...(acaba !== undefined && { termina: acaba }),
    lugar: `${lugar}, ${ciudad}, ${estado}`,
    url: `${origen}/programa#${id}`,
  }
}
