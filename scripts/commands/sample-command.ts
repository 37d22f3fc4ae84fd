// npm run muestra, loaded by muestra.ts.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { changeSetting } from '#app/cms/edition-settings/mutations.server.ts'
import {
  insertPublication,
  readLatestPublication,
  setCurrentPublication,
} from '#app/cms/publishing/publications.server.ts'
import { runningSite } from '#app/core/process/data-folder-lock.server.ts'
import { readSettings } from '#app/core/process/env.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import type { DocumentKind } from '#app/entries/definitions/document-kinds.ts'
import type { EntryState } from '#app/entries/schema.ts'
import { changeState } from '#app/entries/states/mutations.server.ts'
import { setRecordPublic } from '#app/finals/record/mutations.server.ts'
import { loadElection } from '#app/voting/election/data.server.ts'
import { closeVote } from '#app/voting/sealing/mutations.server.ts'
import { sealVotes } from '#app/voting/sealing/sealing.server.ts'
import { candidateFiles, costumeFiles, seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { voter } from '#tests/support/voting/votes.ts'
import { openEditionDisplay } from '../../server/displayed-edition.ts'
import { endWithFault } from '../../server/end-with-fault.ts'
import { openSite, type Site } from '../../server/services.ts'
import { type Undo, undoAll } from '../../server/undo.ts'
import { root } from '../prepare.mjs'
import { assertDone, judgeFinal } from './sample-final.ts'

const EDITION = 2025
/** The site's time at each moment that the command takes. */
const MOMENTS = new Map([
  ['registro', '2025-07-22T11:00:00-06:00'],
  ['votacion', '2025-09-20T19:30:00-06:00'],
  ['final', '2025-09-27T21:10:00-06:00'],
  ['despues', '2025-09-30T12:00:00-06:00'],
])
const VOTE_START = '2025-09-12T18:00:00-06:00'
const LAST_BALLOT_AT = '2025-09-25T23:50:00-06:00'
const VOTE_CLOSED = '2025-09-26T00:05:00-06:00'
/** Votes at the closing, in the order of the candidates. */
const VOTE_COUNTS = [231, 268, 347, 214, 224]
/** Share of the votes that are cast by the moment's time; 1 by default. */
const VOTE_SHARES = new Map([['votacion', 0.4]])
const PERIODS = {
  candidatas: { abre: '2025-07-15T00:00:00-06:00', cierra: '2025-07-31T23:59:00-06:00' },
  trajes: { abre: '2025-07-15T00:00:00-06:00', cierra: '2025-09-10T23:59:00-06:00' },
}
/** Photographs in place of documents, by kind: [for an entry of an edition's candidate, for any other entry]. */
const PHOTOS_BY_KIND: Partial<Record<DocumentKind, [string, string]>> = {
  fotoRostro: ['galeria-1.jpg', 'galeria-2.jpg'],
  fotoCuerpo: ['prensa-vestido.jpg', 'galeria-3.jpg'],
}
const CANDIDATE_COUNT = 5
const ACCEPTED_STATES: EntryState[] = ['en-revision', 'aceptada']

interface SampleEntry {
  titular: string
  detalle?: string
  edad?: number
  /** Minute of the registration, in Mexico City's time. */
  at: string
  states: EntryState[]
  /** Number of the states that are reached by the moment `registro`. */
  reachedInJuly: number
}

const REJECTED_STATES: EntryState[] = ['en-revision', 'rechazada']
/** Sample entries with their states in order: the edition's candidates, others, and costumes. */
const SAMPLE_ENTRIES: SampleEntry[] = [
  { titular: 'Valeria Bugambilia Olmos', edad: 22, at: '2025-07-15T18:40', states: ACCEPTED_STATES, reachedInJuly: 2 },
  { titular: 'Renata Cempasúchil Nava', edad: 20, at: '2025-07-16T18:40', states: ACCEPTED_STATES, reachedInJuly: 2 },
  { titular: 'Ximena Agave Montaño', edad: 24, at: '2025-07-17T18:40', states: ACCEPTED_STATES, reachedInJuly: 2 },
  { titular: 'Fernanda Jacaranda Luna', edad: 21, at: '2025-07-18T18:40', states: ACCEPTED_STATES, reachedInJuly: 2 },
  { titular: 'Paola Colorín Vega', edad: 23, at: '2025-07-21T20:02', states: ACCEPTED_STATES, reachedInJuly: 1 },
  { titular: 'Irma Mezquite Lara', edad: 19, at: '2025-07-20T16:20', states: REJECTED_STATES, reachedInJuly: 2 },
  { titular: 'Julia Tabachín Cruz', edad: 25, at: '2025-07-22T08:45', states: REJECTED_STATES, reachedInJuly: 0 },
  {
    titular: 'Nora Dalia Ríos',
    detalle: 'La rueda',
    at: '2025-07-18T12:00',
    states: ACCEPTED_STATES,
    reachedInJuly: 1,
  },
  {
    titular: 'Hugo Ceiba Mora',
    detalle: 'Cien faroles',
    at: '2025-07-21T19:10',
    states: ACCEPTED_STATES,
    reachedInJuly: 0,
  },
]

/** The open site of the sample. Its clock runs on from the time that was last set. */
interface Sample {
  site: Site
  setClock(moment: string): Promise<void>
  /** The account of the first administrator. */
  organiser: { quien: string; desde: string }
}

/** Draws a blank sheet of paper in place of a document. Each hue makes a different file. */
const drawPaper = (hueDegrees: number): Promise<Buffer> =>
  sharp({ create: { width: 850, height: 1100, channels: 3, background: `hsl(${hueDegrees}, 20%, 88%)` } })
    .jpeg()
    .toBuffer()

async function fillEntries({ site: { services }, setClock }: Sample, isRegistrationMoment: boolean): Promise<void> {
  for (const [entryIndex, { titular, detalle, edad, at, states, reachedInJuly }] of SAMPLE_ENTRIES.entries()) {
    await setClock(`${at}:00-06:00`)
    const files = detalle ? costumeFiles() : candidateFiles()
    const folder = `candidatas/c${(entryIndex % CANDIDATE_COUNT) + 1}`
    for (const [fileIndex, file] of files.entries()) {
      const photo = PHOTOS_BY_KIND[file.clase]?.[entryIndex < CANDIDATE_COUNT ? 0 : 1]
      file.body = photo
        ? await readFile(join('content', String(EDITION), folder, photo))
        : await drawPaper(entryIndex * 40 + fileIndex * 7)
    }
    const celular = `37 8555 01${String(entryIndex + 10)}`
    const id = await seedEntry(services, {
      titular,
      celular,
      files,
      mayPublishFace: true,
      ...(edad && { edad }),
      ...(detalle && { tipo: 'traje', detalle }),
    })
    if (!isRegistrationMoment) await setClock('2025-08-01T12:00:00-06:00')
    for (const [index, to] of states.slice(0, isRegistrationMoment ? reachedInJuly : undefined).entries())
      assertDone(
        await changeState(
          services.db,
          { id, version: index + 1, at: services.clock.now() },
          { to, note: '' },
          TERMINAL,
        ),
      )
  }
}

/** Casts votes for all candidates, evenly spread until a moment. @param voteShare share of VOTE_COUNTS to cast */
async function castVotes(
  { site: { services, voting }, setClock }: Sample,
  until: string,
  voteShare: number,
): Promise<void> {
  const election = await loadElection()
  const [start, end] = [Date.parse(VOTE_START), Date.parse(until)]
  const ballots = VOTE_COUNTS.flatMap((votes, place) => {
    const count = Math.round(votes * voteShare)
    return Array.from({ length: count }, (_, index) => ({ place, at: start + ((index + 0.5) / count) * (end - start) }))
  }).sort((a, b) => a.at - b.at)
  for (const [index, { place, at }] of ballots.entries()) {
    await setClock(new Date(at).toISOString())
    const castResult = await voting.cast(election, voter(), { vote: place, idempotencyKey: randomUUID() })
    assertDone(castResult)
    // The first sealing makes the opening record, which belongs to the vote's first day.
    if (index === 0) await sealVotes(services, election)
  }
  await sealVotes(services, election)
}

/** Publishes the edition as it was before its candidates were known. The site shows it from its first answer on. */
async function publishWithoutCandidates({ services: { db, clock } }: Site): Promise<void> {
  const { valores, archivos } = (await readLatestPublication(db, EDITION))!
  const { ganadora, ...popularity } = valores['popularidad.yaml'] as Record<string, unknown>
  const { grupo, grupoPrensa } = valores['candidatas.yaml'] as Record<string, unknown>
  const candidates = { grupo, grupoPrensa, candidatas: [] }
  const values = { ...valores, 'candidatas.yaml': candidates, 'popularidad.yaml': popularity }
  const now = clock.now()
  const id = await insertPublication(
    db,
    { edicion: EDITION, valores: values, archivos, origen: 'importada' },
    'publicada',
    now,
  )
  await setCurrentPublication(db, { id, edicion: EDITION }, now)
}

async function fillSample(sample: Sample, moment: string): Promise<void> {
  const { site, setClock, organiser } = sample
  const { db, clock } = site.services
  for (const form of ['candidatas', 'trajes'] as const)
    await changeSetting(
      db,
      EDITION,
      { name: `registro.${form}`, value: PERIODS[form], version: 0 },
      TERMINAL,
      clock.now(),
    )
  await fillEntries(sample, moment === 'registro')
  const shownTime = MOMENTS.get(moment)!
  if (moment === 'registro') await publishWithoutCandidates(site)
  else await castVotes(sample, moment === 'votacion' ? shownTime : LAST_BALLOT_AT, VOTE_SHARES.get(moment) ?? 1)
  if (moment === 'final' || moment === 'despues') {
    await setClock(VOTE_CLOSED)
    assertDone(await closeVote(site.services, await loadElection(), organiser))
    await judgeFinal(site.services, setClock, moment === 'final' ? 2 : undefined)
    if (moment === 'despues') assertDone(await setRecordPublic(site.services, EDITION, true, organiser))
  }
  await setClock(shownTime)
}

async function run(moment: string | undefined): Promise<number> {
  if (moment === undefined || !MOMENTS.has(moment))
    throw new StartError(`Uso: npm run muestra -- ${[...MOMENTS.keys()].join(' | ')}`)
  const dataDir = `${readSettings(process.env).dataDir}.muestra`
  if (await runningSite(dataDir)) throw new StartError('La muestra ya está en marcha: detenla con Ctrl-C.')
  await rm(dataDir, { recursive: true, force: true })
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const clockFile = join(dataDir, 'reloj')
  const setClock = (time: string) => writeFile(clockFile, time)
  await setClock('2025-07-01T12:00:00-06:00')
  // The sample has a database and files of its own, and sends no mail.
  const isKeptSetting = (name: string) =>
    !/^(DATABASE|SMTP|BOUNCES|BACKUP|AVISO|OBJECTS|STORAGE|S3|PUBLIC)_|^HSTS$/.test(name)
  const ownSettings = Object.fromEntries(Object.entries(process.env).filter(([name]) => isKeptSetting(name)))
  const env: NodeJS.ProcessEnv = { ...ownSettings, DATA_DIR: dataDir, SITE_CLOCK: clockFile }
  console.log('Preparando la muestra…')
  const undo: Undo = []
  try {
    const { site, connection, firstAdmin } = await openSite(
      readSettings({ ...env, LOG_LEVEL: 'warn' }),
      join(root, 'db/migrations'),
      undo,
    )
    const displayOptions = { say: () => {}, hasPages: false, renderIn: () => Promise.reject(new Error('no pages')) }
    const editions = await openEditionDisplay({ site, connection, root, ...displayOptions })
    undo.push(() => editions.stop())
    const { id } = await site.services.db.selectFrom('profiles').select('id').executeTakeFirstOrThrow()
    await fillSample({ site, setClock, organiser: { ...TERMINAL, quien: id } }, moment)
    if (firstAdmin) console.log(`El panel abre con ${firstAdmin.email} y la contraseña ${firstAdmin.password}`)
  } finally {
    await undoAll(undo)
  }
  const args = ['--disable-warning=ExperimentalWarning', 'scripts/serve.ts']
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  const [code] = await once(child, 'exit')
  return code ?? 1
}

process.exit(await run(process.argv[2]).catch(endWithFault))
