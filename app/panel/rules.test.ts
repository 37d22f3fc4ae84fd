import { expect, test } from 'vitest'
import { NO_MAIL_SERVER_MESSAGE } from '#app/entries/letters/schema.ts'
import { listChoosableStates } from '#app/entries/rules.ts'
import { faultsNotice, plannedDeletionNotice } from '#app/ops/health/rules.ts'
import {
  bulkOutcomeInWords,
  filterForAuditLog,
  filterQuery,
  leftOutInWords,
  messageOutcomeInWords,
  parseId,
  readField,
  readFilter,
  splitNotice,
  votePeriodInWords,
} from './rules.ts'

test('a filter is read from the address, and invalid parts are ignored', () => {
  const said = new URLSearchParams('tipo=traje&estado=en-revision&edad=fuera&buscar=+ana+&id=3&id=-1&id=x&id=1e99')
  const filter = { edition: 2025, type: 'traje', state: 'en-revision', isOutsideAgeRange: true, text: 'ana', ids: [3] }
  expect(readFilter(said, 2025)).toEqual(filter)
  expect(readFilter(new URLSearchParams('tipo=x&estado=x&edad=x&buscar=++&id=0'), 2025)).toEqual({ edition: 2025 })
  expect(filterQuery(readFilter(said, 2025))).toBe('?tipo=traje&estado=en-revision&edad=fuera&buscar=ana')
  expect(JSON.stringify(filterForAuditLog(readFilter(said, 2025)))).not.toContain('ana')
})

test('no organiser sets an entry back to «recibida»', () => {
  expect(listChoosableStates('aceptada')).toEqual(['en-revision', 'falta-documento', 'rechazada'])
})

test('ids and texts of an address or a form are reduced to valid values', () => {
  expect(['7', '0', '-1', '1.5', '1e99', 'x', '', null, '9223372036854775808'].map(parseId)).toEqual([
    ...[7, 0, 0, 0, 0, 0, 0, 0, 0],
  ])
  expect(readFilter(new URLSearchParams({ buscar: '\u200bmari\u0301a\u00a0' }), 2025).text).toBe('maría')
  const form = new FormData()
  form.set('medio', ' Ra\0di\u200bo\u00a0')
  expect([readField(form, 'medio'), readField(new URLSearchParams('a=%00'), 'a'), readField(form, 'nada')]).toEqual([
    ...['Radio', '', ''],
  ])
})

test('an action on more entries than it takes says how many are left out', () => {
  expect(leftOutInWords(0)).toBeUndefined()
  expect(leftOutInWords(1)).toContain('A la vez caben 500: queda fuera 1,')
  expect(leftOutInWords(1_203)).toContain('quedan fuera 1,203,')
})

test('an action on several entries says what became of them, and calls no deletion done that is only begun', () => {
  const [changed, begun, left] = [{}, { isPending: true }, { reason: 'ya no existe' }]
  expect(bulkOutcomeInWords('borrar', [changed, changed])).toBe('Se borraron 2 inscripciones.')
  expect(bulkOutcomeInWords('borrar', [changed, begun, left])).toBe(
    'Se borró una inscripción. Un borrado quedó empezado: algo falló a la mitad y el sitio lo termina por sí solo. Una quedó como estaba: abajo dice por qué.',
  )
  expect(bulkOutcomeInWords('borrar', [begun, begun])).toBe(
    '2 borrados quedaron empezados: algo falló a la mitad y el sitio los termina por sí solo.',
  )
  expect(bulkOutcomeInWords(undefined, [changed, left, left])).toBe(
    'Volvió a como estaba una inscripción. 2 quedaron como estaban: abajo dice por qué.',
  )
  expect(bulkOutcomeInWords('aceptar', [])).toBe('Ya no existía ninguna de las elegidas.')
})

test.each([
  [3, 0, 0, 'Listo: enviado por correo a 3 personas.'],
  [1, 2, 0, 'Listo: va saliendo por correo a 3 personas; ya salieron 1.'],
  [1, 0, 2, 'Listo: enviado por correo a 1 persona. A 2 personas díselo por teléfono: abajo está su número.'],
  [
    ...([0, 0, 1] as const),
    'Listo: quedó guardado. Por correo no le llega a nadie. A 1 persona díselo por teléfono: abajo está su número.',
  ],
  [1, 0, 0, 'Listo: la cita quedó para hoy. El mensaje fue enviado por correo a 1 persona.', 'hoy'],
  [
    ...([0, 0, 1] as const),
    'Listo: la cita quedó para hoy. Por correo no le llega a nadie. A 1 persona díselo por teléfono: abajo está su número.',
    'hoy',
  ],
])('a message of %d sent, %d waiting and %d unreached says how it went', (sent, waiting, unreached, text, appointment = '') => {
  expect(messageOutcomeInWords(sent, waiting, unreached, appointment || undefined)).toBe(text)
})

test('the title of a notice is its first statement, and nothing of the notice is lost', () => {
  const from = new Date('2026-06-04T12:00:00Z')
  for (const [notice, title] of [
    [NO_MAIL_SERVER_MESSAGE, 'Este sitio todavía no manda correos'],
    [faultsNotice(2), '2 cosas del sitio no funcionan'],
    [
      plannedDeletionNotice({
        edition: 2025,
        entryCount: 1,
        accountCount: 0,
        firstDueAt: from,
        announcedAt: from,
        heldAt: undefined,
      }),
      'Se van a borrar, porque venció su plazo, 1 inscripción con sus documentos de la edición 2025',
    ],
    ['Un aviso.', 'Un aviso'],
  ] as const) {
    const split = splitNotice(notice)
    expect(split.title).toBe(title)
    expect(split.title + split.rest).toBe(notice)
  }
})

test('the vote is open between its two moments, and not before there are candidates', () => {
  const inWords = (hasCandidates: boolean, now: string, opening?: string) =>
    votePeriodInWords({ hasCandidates, opening, closing: '2025-09-25T23:59:59-06:00' }, new Date(now))
  const JULY = '2025-07-22T12:00:00-06:00'
  expect(inWords(true, JULY)).toBe('Está abierta ahora.')
  expect(inWords(false, JULY)).toBe('Empieza cuando se anuncien las candidatas.')
  expect(inWords(true, JULY, '2025-08-01T18:00:00-06:00')).toMatch(/^Abre el 1 de agosto de 2025/)
  expect(inWords(true, '2025-09-26T12:00:00-06:00')).toBe('Ya cerró.')
})
