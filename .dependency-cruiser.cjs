/** The wings of app/ in order: each may import only earlier ones. `core` and `ui` know no noun of the pageant. */
const WINGS = [
  'core',
  'ui',
  'audit',
  'cms',
  'mail',
  'accounts',
  'analytics',
  'entries',
  'voting',
  'site',
  'finals',
  'ops',
  'panel',
  'layout',
]

/** The rules of imports, which docs/arquitectura.md explains. */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...WINGS.map((wing, at) => ({
      name: `${wing}-imports-nothing-above-it`,
      severity: 'error',
      from: { path: `^app/${wing}/` },
      to: { path: `^(app/(${[...WINGS.slice(at + 1), '[^/]+$'].join('|')})/?|server/|scripts/)` },
    })),
    {
      name: 'ui-stands-alone',
      comment: 'What looks the same on any site imports nothing of this one.',
      severity: 'error',
      from: { path: '^app/ui/' },
      to: { path: '^app/(?!ui/)' },
    },
    {
      name: 'mail-knows-no-noun',
      comment: 'Each noun writes its own messages; the mail carries them. The edition’s name stands on its letterhead.',
      severity: 'error',
      from: { path: '^app/mail/' },
      to: { path: '^app/(?!mail/|core/|cms/)' },
    },
    {
      name: 'app-does-not-know-its-server',
      severity: 'error',
      from: { path: '^app/' },
      to: { path: '^(server|scripts)/' },
    },
    {
      name: 'server-code-stays-on-the-server',
      comment: 'A component, or anything else that the browser may get, never reaches server code but through a page.',
      severity: 'error',
      from: {
        path: '^app/',
        pathNot: [
          '\\.page\\.tsx$',
          '\\.resource\\.ts$',
          '\\.(server|process)\\.tsx?$',
          '\\.test\\.tsx?$',
          '^app/(root|entry\\.server)\\.tsx$',
        ],
      },
      to: { path: '\\.server\\.tsx?$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'documents-are-read-apart',
      comment:
        'What anybody may have made is read by render.process.ts and sanitize-file.process.ts, which end when they take too long; never by the site.',
      severity: 'error',
      from: {
        path: '^(app|server)/',
        pathNot: [
          '^app/entries/document-viewing/(watermark-pdf\\.server|render\\.server|render\\.process)\\.ts$',
          '^app/cms/file-sanitizing/',
          '\\.test\\.ts$',
        ],
      },
      to: {
        path: '^app/(entries/document-viewing/(watermark-pdf|render)|cms/file-sanitizing/(sanitize-file|svg|mp4|webm|pdf|word)|core/uploads/(pdf-document|picture-decoder))\\.server\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'processes-are-started',
      comment: 'A *.process.ts runs apart, in a process or a thread of its own: whoever imported it would run it here.',
      severity: 'error',
      from: {},
      to: { path: '\\.process\\.ts$' },
    },
    {
      name: 'not-in-the-lockfile',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: ['^virtual:', '\\?', '/\\+types/'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.module\\.css$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.css'],
    },
  },
}
