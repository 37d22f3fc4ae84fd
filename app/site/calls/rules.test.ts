import { expect, test } from 'vitest'
import type { PeriodStatus } from '#app/cms/settings/schema.ts'
import { slideForToday } from './rules.ts'

const closed = { titulo: 'Convocatoria cerrada', texto: 'Gracias por su participación.', imagen: 'cierre.jpg' }
const invitation = { titulo: 'Convocatoria abierta', texto: 'Ven.', imagen: 'corona.jpg' }
const period = (state: PeriodStatus['estado']): PeriodStatus => ({ estado: state, abre: '', cierra: '', cuando: '' })

test('invites while its registration is open or about to be, and keeps its key', () => {
  for (const state of ['antes', 'abierto'] as const)
    expect(slideForToday({ ...closed, invitacion: invitation }, period(state))).toMatchObject({
      ...invitation,
      identidad: 'Convocatoria cerrada',
    })
})

test('says what the content says once it has closed, while nobody knows, and where there is nothing else to say', () => {
  for (const known of [period('despues'), undefined, null])
    expect(slideForToday({ ...closed, invitacion: invitation }, known)).toMatchObject(closed)
  expect(slideForToday(closed, period('abierto'))).toMatchObject(closed)
})
