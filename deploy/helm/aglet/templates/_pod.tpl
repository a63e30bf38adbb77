{{- /* The pod of the StatefulSet, and of each role. Takes the root and the role: "all" on files, else control, edge or worker. */}}
{{- define "aglet.pod" -}}
{{- $role := .role }}
{{- $values := .root.Values }}
{{- with .root -}}
metadata:
  labels:
    {{- include "aglet.selector" . | nindent 4 }}
    {{- if ne $role "all" }}
    app.kubernetes.io/component: {{ $role }}
    {{- end }}
  annotations:
    prometheus.io/scrape: "true"
    prometheus.io/port: "4000"
    prometheus.io/path: /metrics
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  # It ends what is under way within 30 seconds; a worker releases its slots.
  terminationGracePeriodSeconds: {{ eq $role "all" | ternary 40 45 }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      {{- toYaml .Values.seccompProfile | nindent 6 }}
  containers:
    - name: aglet
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      env:
        {{- include "aglet.env" (dict "root" . "role" $role) | nindent 8 }}
      ports:
        - name: http
          containerPort: 4000
      {{- if has $role (list "control" "edge") }}
      lifecycle:
        preStop:
          exec:
            # Until balancers have learnt that this pod ends, it still answers.
            command: [sleep, "5"]
      {{- end }}
      startupProbe:
        httpGet:
          path: /healthz
          port: http
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet:
          path: /healthz
          port: http
        periodSeconds: 10
        timeoutSeconds: 5
      readinessProbe:
        httpGet:
          path: /readyz
          port: http
        periodSeconds: 5
        timeoutSeconds: 5
      resources:
        {{- $own := (get $values $role | default dict).resources }}
        {{- toYaml ($own | default .Values.resources) | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /var/lib/aglet
        - name: tmp
          mountPath: /tmp
  volumes:
    - name: tmp
      emptyDir:
        medium: Memory
        sizeLimit: 64Mi
    {{- if ne $role "all" }}
    # A lock and a socket. On the node's disk: with less than 64 MB free there, events are refused.
    - name: data
      emptyDir: {}
    {{- end }}
  {{- if ne $role "all" }}
  {{- with .Values.spreadOver }}
  topologySpreadConstraints:
    {{- range . }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "aglet.selector" $.root | nindent 10 }}
          app.kubernetes.io/component: {{ $role }}
    {{- end }}
  {{- end }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "aglet.env" -}}
{{- $role := .role }}
{{- with .root -}}
- name: AGLET_ORIGIN
  value: {{ include "aglet.origin" . | quote }}
{{- if ne $role "all" }}
- name: AGLET_ROLE
  value: {{ $role }}
- name: AGLET_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.database.secretName }}
      key: {{ .Values.database.urlKey }}
{{- with .Values.database.streamUrlKey }}
- name: AGLET_STREAM_URL
  valueFrom:
    secretKeyRef:
      name: {{ $.root.Values.database.secretName }}
      key: {{ . }}
{{- end }}
- name: AGLET_SYNC_STANDBYS
  value: {{ .Values.database.syncStandbys | quote }}
{{- with .Values.rootKey.secretKeyBefore }}
- name: AGLET_ROOT_KEY_BEFORE
  valueFrom:
    secretKeyRef:
      name: {{ $.root.Values.rootKey.secretName }}
      key: {{ . }}
{{- end }}
{{- end }}
{{- with .Values.trustProxy }}
- name: AGLET_TRUST_PROXY
  value: {{ . | quote }}
{{- end }}
{{- with .Values.rootKey.secretName }}
- name: AGLET_ROOT_KEY
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: {{ $.root.Values.rootKey.secretKey }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end }}
