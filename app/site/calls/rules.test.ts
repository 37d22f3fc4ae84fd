import { expect, test } from 'vitest'
import type { PeriodoDicho } from '#app/cms/settings/schema.ts'
import { anuncioDeHoy } from './rules.ts'

const cerrada = { titulo: 'Convocatoria cerrada', texto: 'Gracias por su participación.', imagen: 'cierre.jpg' }
const invitacion = { titulo: 'Convocatoria abierta', texto: 'Ven.', imagen: 'corona.jpg' }
const periodo = (estado: PeriodoDicho['estado']): PeriodoDicho => ({ estado, abre: '', cierra: '', cuando: '' })

test('invites while its registration is open or about to be, and keeps its key', () => {
  for (const estado of ['antes', 'abierto'] as const)
    expect(anuncioDeHoy({ ...cerrada, invitacion }, periodo(estado))).toMatchObject({
      ...invitacion,
      identidad: 'Convocatoria cerrada',
    })
})

test('says what the content says once it has closed, while nobody knows, and where there is nothing else to say', () => {
  for (const known of [periodo('despues'), undefined, null])
    expect(anuncioDeHoy({ ...cerrada, invitacion }, known)).toMatchObject(cerrada)
  expect(anuncioDeHoy(cerrada, periodo('abierto'))).toMatchObject(cerrada)
})
