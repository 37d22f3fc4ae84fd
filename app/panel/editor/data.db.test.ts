import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveDocument } from '#app/cms/drafts/draft-store.server.ts'
import { insertPublication, setCurrentPublication } from '#app/cms/publishing/publications.server.ts'
import { drawUpOpeningRecord } from '#app/voting/sealing/mutations.server.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { ACTOR, ELECTION, OPEN } from '#tests/support/voting/votes.ts'
import { faultsOfScreen, readEditorContent, readPublishedContent } from './data.server.ts'
import { findScreen } from './editable-screens.ts'

const YEAR = 2025
let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

test('once the vote has begun, the list of candidates says that their order cannot change', async () => {
  const { db, clock } = site.services
  const values = { 'candidatas.yaml': { candidatas: ['eva', 'ana'].map((id) => ({ id, nombre: id })) } }
  const publication = { edicion: YEAR, valores: values, archivos: {}, origen: 'carpeta' as const }
  const id = await insertPublication(db, publication, 'publicada', clock.now())
  await setCurrentPublication(db, { id, edicion: YEAR }, clock.now())
  const write = async (candidatas: unknown) => {
    const { draft, published } = await readEditorContent(db, YEAR)
    const saved = await saveDocument(db, (tx) => readPublishedContent(tx, YEAR), {
      edition: YEAR,
      document: 'candidatas.yaml',
      value: { candidatas },
      seenVersion: draft.documents['candidatas.yaml'] ? String(draft.version) : published.version,
      accountId: null,
      now: clock.now(),
    })
    expect(saved).toBeDefined()
  }
  const orderFaults = async () =>
    faultsOfScreen(findScreen('candidatas')!, await readEditorContent(db, YEAR)).filter(({ remedio }) =>
      remedio.startsWith('la votación ya empezó'),
    )
  await write(values['candidatas.yaml'].candidatas.toReversed())
  expect(await orderFaults()).toEqual([])
  expect(await drawUpOpeningRecord({ ...site.services, clock: { now: () => OPEN } }, ELECTION, ACTOR)).toEqual({
    ok: true,
  })
  expect(await orderFaults()).toMatchObject([
    { campo: ['candidatas'], remedio: expect.stringContaining('Regresa a «eva» al lugar 1, «ana» al lugar 2') },
  ])
  // A damaged draft is no reason for the screen to fail.
  await write('nadie')
  expect(await orderFaults()).toEqual([])
})
