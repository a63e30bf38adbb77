{{- define "aglet.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "aglet.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "aglet.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "aglet.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "aglet.origin" -}}
{{ required "origin is missing: write what callers see, such as --set origin=https://aglet.example.com" .Values.origin }}
{{- end }}

{{- define "aglet.service" -}}
{{ include "aglet.name" .root }}{{ if ne .role "all" }}-{{ .role }}{{ end }}
{{- end }}

{{- define "aglet.replicas" -}}
{{ get .root.Values .role | dig "replicas" 2 }}
{{- end }}
