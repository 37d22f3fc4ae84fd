#!/bin/sh
# El sitio y sus órdenes, como los trae el paquete: no hace falta npm ni red, sólo un lugar donde escribir (DATA_DIR).
set -eu
aqui=$(dirname -- "$(readlink -f -- "$0")")
uso() {
  cat <<FIN
Se usa así: certamen [ORDEN] [OPCIONES]
  certamen                              arranca el sitio
  certamen respaldo --a CARPETA         copia el sitio a otro lugar, en marcha o no
  certamen restaurar ORIGEN             pone una copia en un lugar vacío
  certamen actualizar PAQUETE.tar.gz --suma SUMA    pone otra versión sin dejar de atender; --volver regresa a la de antes
  certamen configurar <AJUSTES >NUEVOS  pregunta dominio, correo, copias y vigilancia, y los prueba
  certamen mudanza, estado, cuentas, edicion, contenido, escrutinio
  certamen sano                         termina con 0 si el sitio contesta, con 1 si no
  certamen version                      cuál es este paquete
FIN
}
nodo=$aqui/node_modules/.bin/node
if [ ! -x "$nodo" ]; then
  nodo=$(command -v node || true)
  if [ -z "$nodo" ] || [ "$("$nodo" -p '"BoundSocket" in net')" != true ]; then
    echo 'Este paquete no trae Node: instala Node 24.19 o más nuevo, o usa el paquete que lo trae.' >&2
    exit 1
  fi
fi
orden=${1:-arrancar}
[ $# -eq 0 ] || shift
case $orden in
  arrancar) guion=serve ;;
  version | --version) exec cat "$aqui/paquete.json" ;;
  sano) exec "$nodo" "$aqui/scripts/sano.mjs" ;;
  ayuda | -h | --help) uso; exit 0 ;;
  *[!a-z]*) uso >&2; exit 1 ;;
  respaldo | restaurar | mudanza | estado | configurar | actualizar | cuentas | edicion | contenido | escrutinio) guion=$orden ;;
  *) uso >&2; exit 1 ;;
esac
if [ ! -f "$aqui/scripts/$guion.ts" ]; then
  echo "Este paquete no trae la orden «$orden»." >&2
  exit 1
fi
# What is given as a relative path is meant from here; the project's own files are found from its folder.
INIT_CWD=$PWD
DATA_DIR=${DATA_DIR:-data}
case $DATA_DIR in /*) ;; *) DATA_DIR=$PWD/$DATA_DIR ;; esac
export INIT_CWD DATA_DIR
cd -- "$aqui"
if [ $guion = serve ] && [ -f ordenes/serve.js ]; then
  exec "$nodo" --disable-warning=ExperimentalWarning --max-semi-space-size=2 ordenes/serve.js "$@"
fi
exec "$nodo" --disable-warning=ExperimentalWarning "scripts/$guion.ts" "$@"
