/** Who may import whom: docs/arquitectura.md says it in words. */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'ui-knows-no-noun',
      comment: 'What looks the same on any site imports nothing of this one.',
      severity: 'error',
      from: { path: '^app/ui/' },
      to: { path: '^(app/(?!ui/)|server/|scripts/)' },
    },
    {
      name: 'platform-knows-no-noun',
      severity: 'error',
      from: { path: '^app/platform/' },
      to: { path: '^(app/(?!platform/)|server/|scripts/)' },
    },
    {
      name: 'mail-knows-no-noun',
      comment: 'Each noun writes its own messages; the mail carries them. The edition’s name stands on its letterhead.',
      severity: 'error',
      from: { path: '^app/correo/' },
      to: { path: '^(app/(?!correo/|platform/|edicion/)|server/|scripts/)' },
    },
    {
      name: 'app-does-not-know-its-server',
      severity: 'error',
      from: { path: '^app/' },
      to: { path: '^(server|scripts)/' },
    },
    {
      name: 'other-folders-by-their-face',
      comment:
        'A folder uses another noun through its schema, rules, data, mutations, guards or correos. The accounts have more: their doors (form, refusal, way out, mark of a session, the password said again, the button of a passkey, a device’s name), which stand in the screens of prensa, organizadores, escrutinio, popularidad and marco, their count of attempts, by which registros counts folios, what an organiser does about accounts, the names of their parts, and what forgets voters, after which the count must be as certain as before. So has the entry, which has no screens: its forms, fields, folio and kinds of document, and what keeps, shows and exports its documents. And ajustes says in any screen whether a registration is open. And the vote’s rules on origins are read wherever votes are counted, its receipts wherever they are looked for, and the signature on a vote wherever it is counted. The act of the final is sealed and read as the vote’s is. And a backup takes what every noun has.',
      severity: 'error',
      from: { path: '^app/([^/]+)/' },
      to: {
        path: '^app/(?!ui/|platform/|edicion/)[^/]+/',
        pathNot: [
          '^app/$1/',
          '(schema|rules|data\\.server|mutations\\.server|guards\\.server|correos\\.server)\\.ts$',
          '^app/ajustes/use-periodos\\.ts$',
          '^app/visitas/use-aviso\\.ts$',
          '^app/cuentas/jurados\\.server\\.ts$',
          '^app/escrutinio/(cadena|renglones)\\.ts$',
          '^app/escrutinio/(cadena-recontada|acta)\\.server\\.ts$',
          '^app/popularidad/(recibo|reglas|firma\\.server|bloques\\.server|dominios\\.server)\\.ts$',
          '^app/cuentas/(acceso|confirmar|entrar-aqui|falla|puerta|rechazo|roles|salir|sesion-abierta|puerta\\.server|intentos\\.server|bajas\\.server|encargos\\.server|cambio-de-correo\\.server|olvido\\.server|plazo\\.server|segundo\\.server|llaves\\.server|cookies\\.server|con-llave|equipo)\\.tsx?$',
          '^app/inscripciones/(archivos|campos|marca|campos-candidata|clases|datos|folio|formas?(-candidata|-traje)?|folio\\.server|borrado\\.server|plazo\\.server|pulso\\.server|documentos\\.server|originales\\.server|recepcion\\.server|exportes\\.server|objetos\\.server|regreso\\.server|novedades\\.server|destinatarias\\.server)\\.ts$',
          '^app/inscripciones/(parecidas|vecinas)\\.server\\.ts$',
        ],
      },
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
          '\\.(server|proceso)\\.tsx?$',
          '\\.test\\.tsx?$',
          '^app/(root|entry\\.server)\\.tsx$',
        ],
      },
      to: { path: '\\.server\\.tsx?$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'documents-are-read-apart',
      comment:
        'What anybody may have made is read by pintar.proceso.ts and abrir.proceso.ts, which end when they take too long; never by the site.',
      severity: 'error',
      from: {
        path: '^(app|server)/',
        pathNot: [
          '^app/inscripciones/(pdf\\.server|pintura\\.server|pintar\\.proceso)\\.ts$',
          '^app/edicion/(apertura\\.server|paper-pdf\\.server|webm\\.server|abrir\\.proceso)\\.ts$',
          '\\.test\\.ts$',
        ],
      },
      to: {
        path: '^app/(inscripciones/(pdf|pintura)|edicion/(apertura|svg|video|webm|paper-pdf|paper-word)|platform/(pdf|pictures))\\.server\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'processes-are-started',
      comment: 'A *.proceso.ts runs apart, in a process or a thread of its own: whoever imported it would run it here.',
      severity: 'error',
      from: {},
      to: { path: '\\.proceso\\.ts$' },
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
